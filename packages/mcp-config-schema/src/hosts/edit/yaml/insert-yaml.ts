import { isCollection, isMap, type YAMLMap, type YAMLSeq } from 'yaml';
import { appendMember, inlineSpacing } from '../bracket-list.js';
import type { LocatedChange } from '../dialect.js';
import { unsupported } from '../document-fault.js';
import type { JsonValue } from '../document-shape.js';
import type { Splice } from '../splice.js';
import { isBlank, lineEndOf } from '../text-lines.js';
import { insertLines } from '../whole-lines.js';
import { replaceValue } from './replace-yaml.js';
import { blockLines, contentLines, itemLines, writeFlow, writeText } from './write-yaml.js';
import {
  columnOf,
  contentEnd,
  dashOf,
  flowList,
  type Held,
  heldAt,
  isBlankNode,
  ownEnd,
  pairEnd,
  spacesBefore,
  startOf,
  stepOf,
  type YamlNode,
} from './yaml-nodes.js';

/**
 * Writes a value at a path: in place of what stands there, behind its siblings, or with the mappings that are missing.
 *
 * @param containerDepth - How many steps of the path lead to the container; the origin is counted from there.
 */
export function putValue(
  text: string,
  start: Held,
  path: readonly string[],
  value: JsonValue,
  containerDepth = 0,
): LocatedChange {
  const { held, depth } = deepest(start, path);
  const [key, ...rest] = path.slice(depth);
  const levels = Math.max(0, containerDepth - depth);
  if (key === undefined) {
    const { splices, replaced } = replaceValue(text, held, value);
    return { splices, origin: { levels: 0, replaced } };
  }
  if (isBlankNode(text, held.node)) {
    const whole = nested([key, ...rest], value);
    if (held.pair === undefined) return newDocument(text, held.node, whole, containerDepth);
    const { splices, replaced } = replaceValue(text, held, whole);
    return { splices, origin: { levels, replaced } };
  }
  if (!isMap(held.node))
    throw unsupported('A mapping is needed here, and something else stands here', startOf(held.node));
  const splices = appendPair(text, held.node, key, nested(rest, value));
  return levels === 0 ? { splices } : { splices, origin: { levels } };
}

function deepest(start: Held, path: readonly string[]): { readonly held: Held; readonly depth: number } {
  let held = start;
  let depth = 0;
  for (const key of path) {
    const next = heldAt(held, key);
    if (next.pair === undefined) break;
    held = next;
    depth += 1;
  }
  return { held, depth };
}

function appendPair(text: string, map: YAMLMap, key: string, value: JsonValue): readonly Splice[] {
  const last = map.items.at(-1);
  if (map.flow || last === undefined) {
    return appendFlow(text, map, (pad) => `${writeText(key)}: ${writeFlow(value, pad)}`);
  }
  const keyStart = startOf(map.items[0]?.key);
  const end = ownEnd(text, pairEnd(text, last), columnOf(text, keyStart));
  return [insertLines(text, end, blockLines(key, value, spacesBefore(text, keyStart), stepOf(text, map.items)))];
}

/** Adds an item to a list that has one. */
export function appendItem(text: string, list: YAMLSeq, item: JsonValue): LocatedChange {
  if (list.flow) return { splices: appendFlow(text, list, (pad) => writeFlow(item, pad)) };
  const dash = dashOf(list, list.items.length - 1);
  const end = ownEnd(text, contentEnd(text, list), columnOf(text, dash));
  const siblings = list.items.flatMap((sibling) => (isMap(sibling) && !sibling.flow ? sibling.items : []));
  return { splices: [insertLines(text, end, itemLines(item, spacesBefore(text, dash), stepOf(text, siblings)))] };
}

function appendFlow(text: string, node: YAMLMap | YAMLSeq, write: (pad: '' | ' ') => string): readonly Splice[] {
  const list = flowList(text, node);
  return appendMember(text, list, 'hash', () => write(inlineSpacing(text, list).pad));
}

/** The document says nothing yet: it is empty, holds only comments, or is a `{}`. */
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
  if (isCollection(root) && root.range != null) {
    const [start, end] = root.range;
    const splices = [{ start, end, text: lines.join(lineEnd) }];
    return { splices, origin: { levels: containerDepth, replaced: text.slice(start, end) } };
  }
  return { splices: [insertLines(text, text.trimEnd().length, lines)], origin: { levels: containerDepth + 1 } };
}

function nested(path: readonly string[], value: JsonValue): JsonValue {
  return path.reduceRight<JsonValue>((inner, key) => Object.fromEntries([[key, inner]]), value);
}
