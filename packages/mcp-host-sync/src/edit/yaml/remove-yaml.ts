import { isCollection, isMap, isSeq, type Pair, type YAMLMap } from 'yaml';
import { hasComments, removeMember } from '../bracket-list.js';
import type { Removal } from '../dialect.js';
import { unsupported } from '../document-fault.js';
import { deletion, insertion, type Splice } from '../splice.js';
import { isBlank, isFirstOnLine, lineContentEnd, nextLineStart } from '../text-lines.js';
import { deleteLines } from '../whole-lines.js';
import {
  asNode,
  colonEnd,
  columnOf,
  contentEnd,
  dashOf,
  flowList,
  type Held,
  heldAt,
  indexOfKey,
  ownEnd,
  pairEnd,
  startOf,
  type YamlNode,
} from './yaml-nodes.js';

/**
 * Takes away the entry at the end of a path, or one item of the list there, and as many levels above it as were
 * created for it and now hold nothing else.
 */
export function removeFromContainer(
  text: string,
  root: YamlNode | undefined,
  path: readonly string[],
  item: number | undefined,
  { levels, replaced }: Removal,
): readonly Splice[] {
  const chain = heldOn({ node: root }, path);
  if (item === undefined) chain.pop(); // the entry itself; what is left are the things that hold it
  let depth = chain.length - 1;
  let left = levels;
  while (left > 0 && depth >= 0 && holdsNothingElse(text, chain[depth])) {
    depth -= 1;
    left -= 1;
  }
  if (depth < 0) return removeDocument(text, root, replaced);

  const holder = chain[depth] ?? { node: root };
  const index = depth === chain.length - 1 && item !== undefined ? item : indexOfKey(holder.node, path[depth] ?? '');
  if (left === 0 && replaced !== undefined && isEmptiable(text, holder)) return restore(text, holder, replaced);
  return removeAt(text, holder, index);
}

export function removeField(text: string, entry: Held, path: readonly string[]): readonly Splice[] {
  const holder = heldOn(entry, path.slice(0, -1)).at(-1) ?? entry;
  const index = indexOfKey(holder.node, path.at(-1) ?? '');
  return index === -1 ? [] : removeAt(text, holder, index);
}

/** What is there on the way along a path, from its start to its end. */
function heldOn(start: Held, path: readonly string[]): Held[] {
  const chain = [start];
  for (const key of path) chain.push(heldAt(chain.at(-1) ?? start, key));
  return chain;
}

/** One member of a mapping or list. Where it was the only one, an empty pair of brackets says so. */
function removeAt(text: string, holder: Held, index: number): readonly Splice[] {
  const { node, pair } = holder;
  if (!isMap(node) && !isSeq(node)) throw unsupported('The entry is not where it was read');
  if (node.flow) return removeMember(text, flowList(node, text), index, 'hash');

  const [start, end] = linesOf(text, node, index);
  if (node.items.length > 1 || pair === undefined) {
    if (isFirstOnLine(text, start)) return [deleteLines(text, start, end)];
    const next = isMap(node) ? node.items[index + 1] : undefined;
    const from = next === undefined ? start : startOf(next.key);
    // The first field of an item stands behind the dash, where the next one moves up to.
    if (next === undefined || /^[ \t]*#/m.test(text.slice(nextLineStart(text, end), from))) {
      throw unsupported('This cannot be taken off its line', start);
    }
    return [deletion(start, from)];
  }
  return [insertion(colonEnd(pair), isMap(node) ? ' {}' : ' []'), deleteLines(text, start, end)];
}

/** Puts back what stood behind the key before the container was begun. */
function restore(text: string, { node, pair }: Held, replaced: string): readonly Splice[] {
  if (!isMap(node) && !isSeq(node)) throw unsupported('The entry is not where it was read');
  const [start, end] = node.flow ? (node.range ?? [0, 0]) : linesOf(text, node, 0);
  if (pair === undefined) return [{ start, end, text: replaced }];
  if (node.flow) return [{ start: colonEnd(pair), end, text: replaced }];
  const lines = deleteLines(text, start, end);
  // What stood on a line of its own goes back to where the lines of the container are.
  if (/^[\r\n]/.test(replaced)) return [{ ...lines, text: replaced }];
  return [insertion(colonEnd(pair), replaced), lines];
}

/** From the key or dash of a member to the end of its own lines. */
function linesOf(text: string, node: YamlNode, index: number): readonly [start: number, end: number] {
  if (isSeq(node)) {
    const dash = dashOf(node, index);
    const item = asNode(node.items[index]);
    return [dash, ownEnd(text, item === undefined ? dash + 1 : contentEnd(text, item), columnOf(text, dash))];
  }
  const pair: Pair | undefined = isMap(node) ? node.items[index] : undefined;
  if (pair === undefined) throw unsupported('The entry is not where it was read');
  const start = startOf(pair.key);
  return [start, ownEnd(text, pairEnd(text, pair), columnOf(text, start))];
}

function removeDocument(text: string, root: YamlNode | undefined, replaced: string | undefined): readonly Splice[] {
  const start = root === undefined ? 0 : startOf(root);
  const end = root === undefined ? text.length : lineContentEnd(text, contentEnd(text, root));
  const isAlone = isBlank(text.slice(0, start)) && isBlank(text.slice(end));
  return [isAlone ? { start: 0, end: text.length, text: replaced ?? '' } : deleteLines(text, start, end)];
}

/** Comments around the lines of a block collection stay where they are; those inside brackets would go. */
function isEmptiable(text: string, held: Held): boolean {
  const { node } = held;
  return isCollection(node) && !node.flow ? node.items.length === 1 : holdsNothingElse(text, held);
}

function holdsNothingElse(text: string, held: Held | undefined): boolean {
  const node = held?.node;
  if (!isCollection(node) || node.items.length > 1) return false;
  if (node.flow) {
    const isBare = held?.pair === undefined || isBlank(text.slice(colonEnd(held.pair), startOf(node)));
    return isBare && !hasComments(text, flowList(node as YAMLMap, text), 'hash');
  }
  const [start, end] = linesOf(text, node as YAMLMap, 0);
  const above = held?.pair === undefined ? '' : text.slice(colonEnd(held.pair), start);
  const column = held?.pair === undefined ? -1 : columnOf(text, startOf(held.pair.key));
  return isBlank(above) && (column === -1 || ownEnd(text, end, column) === end);
}
