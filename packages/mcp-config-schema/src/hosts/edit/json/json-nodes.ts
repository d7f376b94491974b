import type { Node } from 'jsonc-parser';
import { type BracketList, hasComments } from '../bracket-list.js';
import type { Span } from '../splice.js';
import { isFirstOnLine } from '../text-lines.js';

export function spanOf({ offset, length }: Node): Span {
  return { start: offset, end: offset + length };
}

/** An object's properties or an array's elements. */
export function listOf(node: Node): BracketList {
  return { ...spanOf(node), members: (node.children ?? []).map(spanOf) };
}

export function childAt(node: Node, key: string): Node | undefined {
  if (node.type !== 'object') return undefined;
  return node.children?.find(({ children }) => children?.[0]?.value === key)?.children?.[1];
}

export function valueOn(node: Node, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((current, key) => current && childAt(current, key), node);
}

export function itemNamed(list: Node, nameField: string, name: string): Node | undefined {
  return list.children?.find((item) => childAt(item, nameField)?.value === name);
}

/** The deepest value that is there on a path, and how many steps lead to it. */
export function deepest(node: Node, path: readonly string[]): { readonly node: Node; readonly depth: number } {
  let found = { node, depth: 0 };
  for (const key of path) {
    const next = childAt(found.node, key);
    if (next === undefined) break;
    found = { node: next, depth: found.depth + 1 };
  }
  return found;
}

/** Nothing that would be lost by writing something else in its place. */
export function isBlankNode(text: string, node: Node): boolean {
  if (node.type === 'null') return true;
  if (node.type !== 'object' && node.type !== 'array') return false;
  return (node.children ?? []).length === 0 && !hasComments(text, listOf(node), 'slashes');
}

/** Whether a value may take lines of its own: it is the whole document, or its key starts a line. */
export function mayTakeLines(text: string, node: Node): boolean {
  return (
    node.parent === undefined || isFirstOnLine(text, (node.parent.type === 'property' ? node.parent : node).offset)
  );
}
