import { isCollection, isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import type { LocatedChange } from '../dialect.js';
import { isList, isObject, type JsonValue, nestedValue, unsupported } from '../document.js';
import { appendMember, inlineSpacing } from '../text/bracket-list.js';
import { memoizePer } from '../text/memoize.js';
import {
  deletion,
  insertion,
  insertLines,
  isBlank,
  lineContentEnd,
  lineEndOf,
  lineStart,
  nextLineStart,
  previousLineEnd,
  type Splice,
} from '../text/text-edits.js';
import {
  colonEnd,
  columnOf,
  contentEnd,
  dashOf,
  flowList,
  hasProperties,
  isBlankNode,
  isEmptyScalar,
  ownEnd,
  pairEnd,
  slotAt,
  spacesBefore,
  startOf,
  stepOf,
  type YamlNode,
  type YamlSlot,
} from './yaml-nodes.js';

/**
 * Replaces the value at a path, or adds it to the deepest existing mapping. Creates missing mappings.
 *
 * @param containerDepth - Number of keys that lead to the container; `origin.levels` counts from there.
 */
export function putValue(
  text: string,
  start: YamlSlot,
  path: readonly string[],
  value: JsonValue,
  containerDepth = 0,
): LocatedChange {
  const { slot, depth } = deepest(start, path);
  const [key, ...rest] = path.slice(depth);
  const levels = Math.max(0, containerDepth - depth);
  if (key === undefined) {
    const { splices, replaced } = replaceValue(text, slot, value);
    return { splices, origin: { levels: 0, replaced } };
  }
  if (isBlankNode(text, slot.node)) {
    const whole = nestedValue([key, ...rest], value);
    if (slot.pair === undefined) return newDocument(text, slot.node, whole, containerDepth);
    const { splices, replaced } = replaceValue(text, slot, whole);
    return { splices, origin: { levels, replaced } };
  }
  if (!isMap(slot.node)) throw unsupported('Expected a mapping here, found another value', startOf(slot.node));
  const { splices, behind } = appendPair(text, slot.node, key, nestedValue(rest, value));
  if (levels > 0) return { splices, origin: { levels } };
  return { splices, behind: rest.length === 0 ? behind : undefined };
}

function deepest(start: YamlSlot, path: readonly string[]): { readonly slot: YamlSlot; readonly depth: number } {
  let slot = start;
  let depth = 0;
  for (const key of path) {
    const next = slotAt(slot, key);
    if (next.pair === undefined) break;
    slot = next;
    depth += 1;
  }
  return { slot, depth };
}

type Addition = Pick<LocatedChange, 'splices' | 'behind'>;

function appendPair(text: string, map: YAMLMap, key: string, value: JsonValue): Addition {
  if (map.flow || map.items.length === 0) {
    return appendFlow(text, map, (pad) => `${writeText(key)}: ${writeFlow(value, pad)}`);
  }
  const { behind, lineEnd, indent, step } = tailOf(map, text);
  return { splices: [insertLines(text, lineEnd, blockLines(key, value, indent, step))], behind };
}

export function appendItem(text: string, list: YAMLSeq, item: JsonValue): LocatedChange {
  if (list.flow) return appendFlow(text, list, (pad) => writeFlow(item, pad));
  const { behind, lineEnd, indent, step } = tailOf(list, text);
  return { splices: [insertLines(text, lineEnd, itemLines(item, indent, step))], behind };
}

const tailOf = memoizePer((node: YAMLMap | YAMLSeq, text: string) => {
  const start = isSeq(node) ? dashOf(node, node.items.length - 1) : startOf(node.items[0]?.key);
  const last = isSeq(node) ? undefined : node.items.at(-1);
  const end = last === undefined ? contentEnd(text, node) : pairEnd(text, last);
  return {
    behind: { list: node, end },
    lineEnd: ownEnd(text, end, columnOf(text, start)),
    indent: spacesBefore(text, start),
    step: stepOf(node, text),
  };
});

function appendFlow(text: string, node: YAMLMap | YAMLSeq, write: (pad: '' | ' ') => string): Addition {
  const list = flowList(node, text);
  return appendMember(text, list, 'hash', () => write(inlineSpacing(text, list).pad));
}

function newDocument(
  text: string,
  root: YamlNode | undefined,
  value: JsonValue,
  containerDepth: number,
): LocatedChange {
  const lineEnd = lineEndOf(text);
  const lines = contentLines(value, '', '  ');
  if (isBlank(text)) {
    const splices = [{ start: 0, end: text.length, text: lines.join(lineEnd) + lineEnd }];
    return { splices, origin: { levels: containerDepth + 1, replaced: text } };
  }
  if (root?.range != null && !isEmptyScalar(root)) {
    const [start, end] = root.range;
    if (/(?:^|\s)[!&]\S*\s*$/.test(text.slice(0, start).replace(/(?:^|\s)#.*$/gm, '')))
      throw unsupported('An anchor or a tag precedes this value, which is not supported', start);
    // A comment behind the value would go with the last line of the entry.
    const isLastOnLine = isBlank(text.slice(end, lineContentEnd(text, end)));
    const splices = [{ start, end, text: isLastOnLine ? lines.join(lineEnd) : writeFlow(value, '') }];
    return { splices, origin: { levels: containerDepth, replaced: text.slice(start, end) } };
  }
  return { splices: [insertLines(text, text.trimEnd().length, lines)], origin: { levels: containerDepth + 1 } };
}

interface Replacement {
  readonly splices: readonly Splice[];
  readonly replaced: string;
}

/** Replaces the value of a key. Comments next to it stay. */
function replaceValue(text: string, { node, pair, owner }: YamlSlot, value: JsonValue): Replacement {
  if (pair === undefined) throw unsupported('Only the value of a key can be replaced');
  const colon = colonEnd(pair);
  const isEmpty = node === undefined || isEmptyScalar(node);
  const start = isEmpty ? colon : startOf(node);
  const valueEnd = isEmpty ? pairEnd(text, pair) : contentEnd(text, node);
  const isFlowNode = isCollection(node) && node.flow === true;

  const pad = isFlowNode ? inlineSpacing(text, { start, end: valueEnd }).pad : '';
  if (owner?.flow) {
    const gap = isEmpty ? ' ' : text.slice(colon, start);
    const splice = { start: colon, end: valueEnd, text: gap + writeFlow(value, pad) };
    return { splices: [splice], replaced: text.slice(colon, valueEnd) };
  }
  if (hasProperties(pair)) throw unsupported('An anchor or a tag precedes this value, which is not supported', start);
  const isBeside = lineStart(text, start) === lineStart(text, colon);
  // Comments between the key and a value on a separate line stay in place.
  const from = isBeside ? colon : (previousLineEnd(text, start) ?? colon);
  const lineEnd = lineContentEnd(text, valueEnd);
  const isLastOnLine = isBlank(text.slice(valueEnd, lineEnd));
  if (!isBeside && isBlankNode(text, node) && !isLastOnLine) {
    throw unsupported(
      'A comment follows an empty value on a separate line, which is not supported; move the comment',
      start,
    );
  }
  // The deletion of a value on a separate line includes the white space at its end.
  const end = !isBeside && isLastOnLine ? lineEnd : valueEnd;

  const replaced = text.slice(from, end);
  if (isFlat(value) || (isFlowNode && node.items.length > 0 && isBeside)) {
    const written = writeFlow(value, pad);
    if (isBeside && !isEmpty) return { splices: [{ start, end, text: written }], replaced };
    return { splices: [insertion(colon, ` ${written}`), deletion(from, end)], replaced };
  }
  const keyIndent = spacesBefore(text, startOf(pair.key));
  const step = owner === undefined ? '  ' : stepOf(owner, text);
  const newline = lineEndOf(text);
  const indent = besideComment(text, lineEnd, keyIndent + step);
  const lines = contentLines(value, indent, step).map((line) => newline + line);
  return { splices: [deletion(from, end), insertion(lineEnd, lines.join(''))], replaced };
}

/** Indents at least as deep as a comment directly below, so that a later removal keeps that comment. */
function besideComment(text: string, lineEnd: number, indent: string): string {
  for (let start = nextLineStart(text, lineEnd); start < text.length; start = nextLineStart(text, start)) {
    const line = text.slice(start, lineContentEnd(text, start));
    if (isBlank(line)) continue;
    const below = /^( *)#/.exec(line)?.[1] ?? '';
    return below.length > indent.length ? below : indent;
  }
  return indent;
}

export function blockLines(key: string, value: JsonValue, indent: string, step: string): readonly string[] {
  const head = `${indent}${writeText(key)}:`;
  if (isFlat(value)) return [`${head} ${writeFlow(value, '')}`];
  return [head, ...contentLines(value, indent + step, step)];
}

function contentLines(value: JsonValue, indent: string, step: string): readonly string[] {
  if (isList(value)) return value.flatMap((item) => itemLines(item, indent, step));
  if (!isObject(value)) return [`${indent}${writeFlow(value, '')}`];
  return Object.entries(value).flatMap(([key, item]) => blockLines(key, item, indent, step));
}

/** A mapping starts after its dash; a nested list stays on one line. */
export function itemLines(item: JsonValue, indent: string, step: string): readonly string[] {
  if (isFlat(item) || isList(item)) return [`${indent}- ${writeFlow(item, '')}`];
  const [first = '', ...rest] = contentLines(item, `${indent}  `, step);
  return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
}

function writeFlow(value: JsonValue, pad: '' | ' '): string {
  if (isList(value)) return `[${value.map((item) => writeFlow(item, pad)).join(', ')}]`;
  if (!isObject(value)) return typeof value === 'string' ? writeText(value) : JSON.stringify(value);
  const members = Object.entries(value).map(([key, item]) => `${writeText(key)}: ${writeFlow(item, pad)}`);
  return members.length === 0 ? '{}' : `{${pad}${members.join(', ')}${pad}}`;
}

function isFlat(value: JsonValue): boolean {
  if (isList(value)) return value.length === 0;
  return !isObject(value) || Object.keys(value).length === 0;
}

// Plain scalars that YAML 1.1 and 1.2 read as the same string, in block and flow style.
const plain = /^(?:[A-Za-z_/]|-(?=[A-Za-z-])|\.{1,2}\/|~\/)(?:[A-Za-z0-9_./@+=~$^-]|:(?=[^\s,[\]{}])| (?=[^\s#]))*$/;
const word = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf|-?\.?inf|---|\.\.\.)$/i;

function writeText(text: string): string {
  if (plain.test(text) && !word.test(text) && !text.startsWith('---')) return text;
  // Escapes characters that JSON leaves but YAML forbids or folds: controls, line separators, byte order marks.
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
