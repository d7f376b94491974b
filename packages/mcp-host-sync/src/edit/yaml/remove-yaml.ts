import { isCollection, isMap, isSeq, type Pair, type YAMLMap } from 'yaml';
import type { Removal } from '../dialect.js';
import { unsupported } from '../document.js';
import { hasComments, removeMember } from '../text/bracket-list.js';
import {
  deleteLines,
  deletion,
  insertion,
  isBlank,
  isFirstOnLine,
  lineContentEnd,
  nextLineStart,
  type Splice,
} from '../text/text-edits.js';
import {
  asNode,
  colonEnd,
  columnOf,
  contentEnd,
  dashOf,
  flowList,
  indexOfKey,
  ownEnd,
  pairEnd,
  slotAt,
  startOf,
  type YamlNode,
  type YamlSlot,
} from './yaml-nodes.js';

/** Removes an entry, or one item of a list, and at most `levels` levels that it leaves empty. */
export function removeFromContainer(
  text: string,
  root: YamlNode | undefined,
  path: readonly string[],
  item: number | undefined,
  { levels, replaced }: Removal,
): readonly Splice[] {
  const chain = slotsOn({ node: root }, path);
  if (item === undefined) chain.pop(); // drops the entry, which leaves its ancestors
  let depth = chain.length - 1;
  let left = levels;
  while (left > 0 && depth >= 0 && hasNoOtherMember(text, chain[depth])) {
    depth -= 1;
    left -= 1;
  }
  if (depth < 0) return removeDocument(text, root, replaced);

  const holder = chain[depth] ?? { node: root };
  const index = depth === chain.length - 1 && item !== undefined ? item : indexOfKey(holder.node, path[depth] ?? '');
  if (left === 0 && replaced !== undefined && isEmptiable(text, holder)) return restore(text, holder, replaced);
  return removeAt(text, holder, index);
}

export function removeField(text: string, entry: YamlSlot, path: readonly string[]): readonly Splice[] {
  const holder = slotsOn(entry, path.slice(0, -1)).at(-1) ?? entry;
  const index = indexOfKey(holder.node, path.at(-1) ?? '');
  return index === -1 ? [] : removeAt(text, holder, index);
}

function slotsOn(start: YamlSlot, path: readonly string[]): YamlSlot[] {
  const chain = [start];
  for (const key of path) chain.push(slotAt(chain.at(-1) ?? start, key));
  return chain;
}

/** Removes a member. Leaves `{}` or `[]` if it was the only one. */
function removeAt(text: string, holder: YamlSlot, index: number): readonly Splice[] {
  const { node, pair } = holder;
  if (!isMap(node) && !isSeq(node)) throw unsupported('The entry is not at its expected position');
  if (node.flow) return removeMember(text, flowList(node, text), index, 'hash');

  const [start, end] = linesOf(text, node, index);
  if (node.items.length > 1 || pair === undefined) {
    if (isFirstOnLine(text, start)) return [deleteLines(text, start, end)];
    const next = isMap(node) ? node.items[index + 1] : undefined;
    const from = next === undefined ? start : startOf(next.key);
    // The first field follows the dash of a list item; the next field moves up to it.
    if (next === undefined || /^[ \t]*#/m.test(text.slice(nextLineStart(text, end), from))) {
      throw unsupported('This field shares its line with the dash of a list item and cannot be removed', start);
    }
    return [deletion(start, from)];
  }
  return [insertion(colonEnd(pair), isMap(node) ? ' {}' : ' []'), deleteLines(text, start, end)];
}

/** Restores the text that followed the key before the container was created. */
function restore(text: string, { node, pair }: YamlSlot, replaced: string): readonly Splice[] {
  if (!isMap(node) && !isSeq(node)) throw unsupported('The entry is not at its expected position');
  const [start, end] = node.flow ? (node.range ?? [0, 0]) : linesOf(text, node, 0);
  if (pair === undefined) return [{ start, end, text: replaced }];
  if (node.flow) return [{ start: colonEnd(pair), end, text: replaced }];
  const lines = deleteLines(text, start, end);
  // Text from a separate line returns to the lines of the container.
  if (/^[\r\n]/.test(replaced)) return [{ ...lines, text: replaced }];
  return [insertion(colonEnd(pair), replaced), lines];
}

/** The range from the key or dash of a member to the end of its lines. */
function linesOf(text: string, node: YamlNode, index: number): readonly [start: number, end: number] {
  if (isSeq(node)) {
    const dash = dashOf(node, index);
    const item = asNode(node.items[index]);
    return [dash, ownEnd(text, item === undefined ? dash + 1 : contentEnd(text, item), columnOf(text, dash))];
  }
  const pair: Pair | undefined = isMap(node) ? node.items[index] : undefined;
  if (pair === undefined) throw unsupported('The entry is not at its expected position');
  const start = startOf(pair.key);
  return [start, ownEnd(text, pairEnd(text, pair), columnOf(text, start))];
}

function removeDocument(text: string, root: YamlNode | undefined, replaced: string | undefined): readonly Splice[] {
  const start = root === undefined ? 0 : startOf(root);
  const end = root === undefined ? text.length : lineContentEnd(text, contentEnd(text, root));
  const isAlone = isBlank(text.slice(0, start)) && isBlank(text.slice(end));
  return [isAlone ? { start: 0, end: text.length, text: replaced ?? '' } : deleteLines(text, start, end)];
}

/** Comments around a block collection survive its removal; comments inside brackets do not. */
function isEmptiable(text: string, slot: YamlSlot): boolean {
  const { node } = slot;
  return isCollection(node) && !node.flow ? node.items.length === 1 : hasNoOtherMember(text, slot);
}

function hasNoOtherMember(text: string, slot: YamlSlot | undefined): boolean {
  const node = slot?.node;
  if (!isCollection(node) || node.items.length > 1) return false;
  if (node.flow) {
    const isBare = slot?.pair === undefined || isBlank(text.slice(colonEnd(slot.pair), startOf(node)));
    return isBare && !hasComments(text, flowList(node as YAMLMap, text), 'hash');
  }
  const [start, end] = linesOf(text, node as YAMLMap, 0);
  const above = slot?.pair === undefined ? '' : text.slice(colonEnd(slot.pair), start);
  const column = slot?.pair === undefined ? -1 : columnOf(text, startOf(slot.pair.key));
  return isBlank(above) && (column === -1 || ownEnd(text, end, column) === end);
}
