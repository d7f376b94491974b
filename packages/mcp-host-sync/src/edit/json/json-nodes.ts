import type { Node } from 'jsonc-parser';
import { type BracketList, hasComments } from '../text/bracket-list.js';
import { memoizePer } from '../text/memoize.js';
import { isFirstOnLine, type Span } from '../text/text-edits.js';

export function spanOf({ offset, length }: Node): Span {
  return { start: offset, end: offset + length };
}

export const listOf = memoizePer(
  (node: Node): BracketList => ({ ...spanOf(node), members: (node.children ?? []).map(spanOf) }),
);

export function childAt(node: Node, key: string): Node | undefined {
  return node.type === 'object' ? valuesOf(node).get(key) : undefined;
}

/** The first value counts for a repeated key. */
const valuesOf = memoizePer((node: Node): ReadonlyMap<unknown, Node> => {
  const values = new Map<unknown, Node>();
  for (const { children: [key, value] = [] } of node.children ?? []) {
    if (key !== undefined && value !== undefined && !values.has(key.value)) values.set(key.value, value);
  }
  return values;
});

export function valueOn(node: Node, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((current, key) => current && childAt(current, key), node);
}

export function itemNamed(list: Node, nameField: string, name: string): Node | undefined {
  return itemsByName(list, nameField).get(name);
}

const itemsByName = memoizePer((list: Node, nameField: string): ReadonlyMap<unknown, Node> => {
  const items = new Map<unknown, Node>();
  for (const item of list.children ?? []) {
    const name = childAt(item, nameField)?.value;
    if (!items.has(name)) items.set(name, item);
  }
  return items;
});

export function indexIn(holder: Node, value: Node): number {
  const member = value.parent === holder ? value : value.parent;
  return (member && indexes(holder).get(member)) ?? -1;
}

const indexes = memoizePer(
  (holder: Node): ReadonlyMap<Node, number> => new Map((holder.children ?? []).map((member, index) => [member, index])),
);

export function deepest(node: Node, path: readonly string[]): { readonly node: Node; readonly depth: number } {
  let found = { node, depth: 0 };
  for (const key of path) {
    const next = childAt(found.node, key);
    if (next === undefined) break;
    found = { node: next, depth: found.depth + 1 };
  }
  return found;
}

/** True for null and empty values without comments, which an edit may replace without loss. */
export function isBlankNode(text: string, node: Node): boolean {
  if (node.type === 'null') return true;
  if (node.type !== 'object' && node.type !== 'array') return false;
  return (node.children ?? []).length === 0 && !hasComments(text, listOf(node), 'slashes');
}

/** True if a value may span lines: it is the whole document, or its key starts a line. */
export function maySpanLines(text: string, node: Node): boolean {
  return (
    node.parent === undefined || isFirstOnLine(text, (node.parent.type === 'property' ? node.parent : node).offset)
  );
}
