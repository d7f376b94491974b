import {
  type Alias,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { unsupported } from '../document.js';
import type { BracketList } from '../text/bracket-list.js';
import { memoizePer } from '../text/memoize.js';
import {
  indentAt,
  isBlank,
  isFirstOnLine,
  lineContentEnd,
  lineStart,
  nextLineStart,
  type Span,
} from '../text/text-edits.js';

export type YamlNode = Scalar | YAMLMap | YAMLSeq | Alias;

/** A value and its pair, which the document root and list items lack. */
export interface YamlSlot {
  readonly node: YamlNode | undefined;
  readonly pair?: Pair | undefined;
  readonly owner?: YAMLMap | undefined;
}

export function asNode(value: unknown): YamlNode | undefined {
  return isScalar(value) || isMap(value) || isSeq(value) || isAlias(value) ? value : undefined;
}

export function pairAt(node: unknown, key: string): Pair | undefined {
  return isMap(node) ? pairsByName(node).get(key)?.pair : undefined;
}

/** Index of a mapping's pair; -1 if the key is missing. */
export function indexOfKey(node: unknown, key: string): number {
  return (isMap(node) ? pairsByName(node).get(key)?.index : undefined) ?? -1;
}

/** The first pair counts for a repeated key. */
const pairsByName = memoizePer((map: YAMLMap): ReadonlyMap<string, { readonly pair: Pair; readonly index: number }> => {
  const pairs = new Map<string, { readonly pair: Pair; readonly index: number }>();
  for (const [index, pair] of map.items.entries()) {
    const name = keyName(pair.key);
    if (!pairs.has(name)) pairs.set(name, { pair, index });
  }
  return pairs;
});

/** Source text of a key: `true:` is the name "true". */
export function keyName(key: unknown): string {
  if (!isScalar(key)) return String(key);
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
}

export function slotAt({ node }: YamlSlot, key: string): YamlSlot {
  const pair = pairAt(node, key);
  return { node: asNode(pair?.value), pair, owner: isMap(node) ? node : undefined };
}

export function startOf(node: unknown): number {
  const start = asNode(node)?.range?.[0];
  if (start === undefined) throw unsupported('A node of this YAML text has no position');
  return start;
}

export function colonEnd(pair: Pair): number {
  const colon = pair.srcToken?.sep?.find(({ type }) => type === 'map-value-ind');
  const isExplicit = pair.srcToken?.start.some(({ type }) => type === 'explicit-key-ind') ?? false;
  if (colon === undefined || isExplicit)
    throw unsupported('Keys must be followed by a plain colon to be edited', startOf(pair.key));
  return colon.offset + 1;
}

export function dashOf(list: YAMLSeq, index: number): number {
  const items = list.srcToken?.type === 'block-seq' ? list.srcToken.items : [];
  const dash = items[index]?.start.find(({ type }) => type === 'seq-item-ind');
  if (dash === undefined) throw unsupported('The layout of this list is not supported', list.range?.[0]);
  return dash.offset;
}

export function isEmptyScalar(node: YamlNode | undefined): boolean {
  return node === undefined || (isScalar(node) && node.range?.[0] === node.range?.[1]);
}

/** True for null and empty collections without comments, which an edit may replace without loss. */
export function isBlankNode(text: string, node: YamlNode | undefined): boolean {
  if (node === undefined || (isScalar(node) && node.value === null)) return true;
  if (!isCollection(node) || node.items.length > 0 || node.range == null) return false;
  return isBlank(text.slice(node.range[0] + 1, node.range[1] - 1));
}

/** End of a pair's value, or of its colon without a value. */
export function pairEnd(text: string, pair: Pair): number {
  const value = asNode(pair.value);
  if (value !== undefined && !isEmptyScalar(value)) return contentEnd(text, value);
  if (hasProperties(pair))
    throw unsupported(
      'An anchor or a tag stands at the position of the edit, which is not supported',
      startOf(pair.key),
    );
  return colonEnd(pair);
}

/** True if an anchor or a tag precedes or replaces the pair's value. */
export function hasProperties(pair: Pair): boolean {
  return pair.srcToken?.sep?.some(({ type }) => type === 'anchor' || type === 'tag') ?? false;
}

export function contentEnd(text: string, node: YamlNode): number {
  if (isMap(node) && !node.flow)
    return ends(
      node.items.map((pair) => pairEnd(text, pair)),
      node,
    );
  if (isSeq(node) && !node.flow) {
    const last = asNode(node.items.at(-1));
    const dash = dashOf(node, node.items.length - 1) + 1;
    return last === undefined || isEmptyScalar(last) ? dash : contentEnd(text, last);
  }
  const [start, end] = node.range ?? [0, 0];
  if (!isScalar(node) || !node.type?.startsWith('BLOCK')) return end;
  const source = text.slice(start, end);
  // Trailing lines belong to the value only with `+`, and the last line end never does.
  const kept = /^[|>][0-9]*-?\+/.test(source) ? source.replace(/\r?\n$/, '') : source.trimEnd();
  return lineContentEnd(text, start + kept.length);
}

function ends(all: readonly number[], node: YamlNode): number {
  const last = all.at(-1);
  if (last === undefined) throw unsupported('The layout of this mapping is not supported', node.range?.[0]);
  return last;
}

/** End of the lines of an item that is indented by `column`. Includes comments below that are indented further. */
export function ownEnd(text: string, contentEndsAt: number, column: number): number {
  let end = lineContentEnd(text, contentEndsAt);
  for (let start = nextLineStart(text, end); start < text.length; start = nextLineStart(text, start)) {
    const line = text.slice(start, lineContentEnd(text, start));
    if (isBlank(line)) continue;
    const indent = /^( *)#/.exec(line)?.[1];
    if (indent === undefined || indent.length <= column) break;
    end = start + line.length;
  }
  return end;
}

export function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

/** Members of a flow collection as spans. */
export const flowList = memoizePer((node: YAMLMap | YAMLSeq, text: string): BracketList => {
  const [start, end] = node.range ?? [0, 0];
  const members = node.items.map((item): Span => {
    const value = asNode(item);
    if (value !== undefined) return { start: startOf(value), end: contentEnd(text, value) };
    const pair = item as Pair;
    const slot = asNode(pair.value);
    if (slot !== undefined && !isEmptyScalar(slot)) return { start: startOf(pair.key), end: contentEnd(text, slot) };
    const hasColon = pair.srcToken?.sep?.some(({ type }) => type === 'map-value-ind') ?? false;
    return { start: startOf(pair.key), end: hasColon ? pairEnd(text, pair) : (asNode(pair.key)?.range?.[1] ?? 0) };
  });
  return { start, end, members };
});

/** Indentation step inside a collection: that of its last mapping, else two spaces. */
export const stepOf = memoizePer((holder: YAMLMap | YAMLSeq, text: string): string => stepIn(holder, text) ?? '  ');

/** Descends into list items, because their mappings follow a dash. */
function stepIn(holder: YAMLMap | YAMLSeq, text: string): string | undefined {
  for (let index = holder.items.length - 1; index >= 0; index -= 1) {
    const item: unknown = holder.items[index];
    const step = isMap(item) && !item.flow ? stepIn(item, text) : stepBelow(item, text);
    if (step !== undefined) return step;
  }
  return undefined;
}

function stepBelow(pair: unknown, text: string): string | undefined {
  if (!isPair(pair) || !isMap(pair.value) || pair.value.flow || pair.value.items.length === 0) return undefined;
  const step = columnOf(text, startOf(pair.value.items[0]?.key)) - columnOf(text, startOf(pair.key));
  return step > 0 && step <= 8 ? ' '.repeat(step) : undefined;
}

export function spacesBefore(text: string, offset: number): string {
  return isFirstOnLine(text, offset) ? indentAt(text, offset) : ' '.repeat(columnOf(text, offset));
}
