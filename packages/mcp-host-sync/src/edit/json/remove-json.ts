import type { Node } from 'jsonc-parser';
import type { Removal } from '../dialect.js';
import type { DocumentShape } from '../document.js';
import { hasComments, removeMember } from '../text/bracket-list.js';
import { deletion, isBlank, type Splice } from '../text/text-edits.js';
import { childAt, indexIn, listOf, spanOf, valueOn } from './json-nodes.js';

/** Removes an entry and at most `levels` levels that it leaves empty. */
export function removeEntry(
  text: string,
  root: Node,
  shape: DocumentShape,
  entry: Node,
  { levels, replaced }: Removal,
): readonly Splice[] {
  const nodes = [root];
  for (const key of shape.keyPath) {
    const next = childAt(nodes.at(-1) ?? root, key);
    if (next !== undefined) nodes.push(next);
  }
  let depth = nodes.length - 1;
  let left = levels;
  while (left > 0 && depth >= 0 && hasNoOtherMember(text, nodes[depth]) && !isCommented(text, nodes[depth])) {
    depth -= 1;
    left -= 1;
  }
  if (depth < 0) return removeDocument(text, root, replaced);

  const holder = nodes[depth] ?? root;
  const member = nodes[depth + 1] ?? entry;
  if (left === 0 && replaced !== undefined && hasNoOtherMember(text, holder)) {
    return [{ ...spanOf(holder), text: replaced }];
  }
  return removeMember(text, listOf(holder), indexIn(holder, member), 'slashes');
}

export function removeField(text: string, entry: Node, path: readonly string[]): readonly Splice[] {
  const holder = valueOn(entry, path.slice(0, -1));
  const field = holder && childAt(holder, path.at(-1) ?? '');
  return holder && field ? removeMember(text, listOf(holder), indexIn(holder, field), 'slashes') : [];
}

function removeDocument(text: string, root: Node, replaced: string | undefined): readonly Splice[] {
  const { start, end } = spanOf(root);
  const isAlone = isBlank(text.slice(0, start)) && isBlank(text.slice(end));
  if (isAlone) return [{ start: 0, end: text.length, text: replaced ?? '' }];
  return [deletion(text.slice(0, start).trimEnd().length, end)]; // keeps the comments around it
}

/** True if a comment stands between a value and its key. */
function isCommented(text: string, value: Node | undefined): boolean {
  const key = value?.parent?.type === 'property' ? value.parent.children?.[0] : undefined;
  if (value === undefined || key === undefined) return false;
  return /\/[/*]/.test(text.slice(spanOf(key).end, value.offset));
}

function hasNoOtherMember(text: string, node: Node | undefined): boolean {
  if (node === undefined || (node.children ?? []).length > 1) return false;
  return !hasComments(text, listOf(node), 'slashes');
}
