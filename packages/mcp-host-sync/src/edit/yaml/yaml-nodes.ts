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
import type { BracketList } from '../bracket-list.js';
import { unsupported } from '../document-fault.js';
import { rememberedPer } from '../remembered.js';
import type { Span } from '../splice.js';
import { indentAt, isBlank, isFirstOnLine, lineContentEnd, lineStart, nextLineStart } from '../text-lines.js';
import { keyName } from './parse-yaml.js';

export type YamlNode = Scalar | YAMLMap | YAMLSeq | Alias;

/** A value and the pair that holds it; no pair for the document itself and for the items of a list. */
export interface Held {
  readonly node: YamlNode | undefined;
  readonly pair?: Pair | undefined;
  /** The mapping that the pair is in. */
  readonly owner?: YAMLMap | undefined;
}

export function asNode(value: unknown): YamlNode | undefined {
  return isScalar(value) || isMap(value) || isSeq(value) || isAlias(value) ? value : undefined;
}

export function pairAt(node: unknown, key: string): Pair | undefined {
  return isMap(node) ? placesOf(node).get(key)?.pair : undefined;
}

/** Which of a mapping's pairs, counted from 0, has a key; -1 when none has. */
export function indexOfKey(node: unknown, key: string): number {
  return (isMap(node) ? placesOf(node).get(key)?.index : undefined) ?? -1;
}

/** Of a repeated key the first pair. */
const placesOf = rememberedPer((map: YAMLMap): ReadonlyMap<string, { readonly pair: Pair; readonly index: number }> => {
  const places = new Map<string, { readonly pair: Pair; readonly index: number }>();
  for (const [index, pair] of map.items.entries()) {
    const name = keyName(pair.key);
    if (!places.has(name)) places.set(name, { pair, index });
  }
  return places;
});

/** What a mapping holds at a key. */
export function heldAt({ node }: Held, key: string): Held {
  const pair = pairAt(node, key);
  return { node: asNode(pair?.value), pair, owner: isMap(node) ? node : undefined };
}

export function startOf(node: unknown): number {
  const start = asNode(node)?.range?.[0];
  if (start === undefined) throw unsupported('Something in this YAML text has no place of its own');
  return start;
}

/** Behind the colon of a pair. */
export function colonEnd(pair: Pair): number {
  const colon = pair.srcToken?.sep?.find(({ type }) => type === 'map-value-ind');
  const isExplicit = pair.srcToken?.start.some(({ type }) => type === 'explicit-key-ind') ?? false;
  if (colon === undefined || isExplicit)
    throw unsupported('A key without a plain colon behind it is not edited', startOf(pair.key));
  return colon.offset + 1;
}

/** Where a dash of a block list stands. */
export function dashOf(list: YAMLSeq, index: number): number {
  const items = list.srcToken?.type === 'block-seq' ? list.srcToken.items : [];
  const dash = items[index]?.start.find(({ type }) => type === 'seq-item-ind');
  if (dash === undefined) throw unsupported('This list is not understood', list.range?.[0]);
  return dash.offset;
}

export function isEmptyScalar(node: YamlNode | undefined): boolean {
  return node === undefined || (isScalar(node) && node.range?.[0] === node.range?.[1]);
}

/** Nothing that would be lost by writing something else in its place. */
export function isBlankNode(text: string, node: YamlNode | undefined): boolean {
  if (node === undefined || (isScalar(node) && node.value === null)) return true;
  if (!isCollection(node) || node.items.length > 0 || node.range == null) return false;
  return isBlank(text.slice(node.range[0] + 1, node.range[1] - 1));
}

/** Where the last character of a pair's value stands; its colon, when the value is left out. */
export function pairEnd(text: string, pair: Pair): number {
  const value = asNode(pair.value);
  if (value !== undefined && !isEmptyScalar(value)) return contentEnd(text, value);
  if (hasProperties(pair)) throw unsupported('An anchor or a tag stands where this would be edited', startOf(pair.key));
  return colonEnd(pair);
}

/** Whether an anchor or a tag stands before a pair's value, or in place of it. */
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
  // Trailing lines belong to the text only with `+`; the line end of the last one stays outside in any case.
  const kept = /^[|>][0-9]*-?\+/.test(source) ? source.replace(/\r?\n$/, '') : source.trimEnd();
  return lineContentEnd(text, start + kept.length);
}

function ends(all: readonly number[], node: YamlNode): number {
  const last = all.at(-1);
  if (last === undefined) throw unsupported('This mapping is not understood', node.range?.[0]);
  return last;
}

/**
 * The end of the lines that belong to something whose first line is indented by `column`: the line of its last
 * character, and comments below it that are indented further.
 */
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

/** The members of a flow collection, which the library gives no common shape. */
export const flowList = rememberedPer((node: YAMLMap | YAMLSeq, text: string): BracketList => {
  const [start, end] = node.range ?? [0, 0];
  const members = node.items.map((item): Span => {
    const value = asNode(item);
    if (value !== undefined) return { start: startOf(value), end: contentEnd(text, value) };
    const pair = item as Pair;
    const held = asNode(pair.value);
    if (held !== undefined && !isEmptyScalar(held)) return { start: startOf(pair.key), end: contentEnd(text, held) };
    const hasColon = pair.srcToken?.sep?.some(({ type }) => type === 'map-value-ind') ?? false;
    return { start: startOf(pair.key), end: hasColon ? pairEnd(text, pair) : (asNode(pair.key)?.range?.[1] ?? 0) };
  });
  return { start, end, members };
});

/** One step of indentation inside a collection: what the first member of its last mapping has, else two spaces. */
export const stepOf = rememberedPer((holder: YAMLMap | YAMLSeq, text: string): string => stepIn(holder, text) ?? '  ');

/** The items of a list are looked into, as their mappings are not a step deeper but behind a dash. */
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
