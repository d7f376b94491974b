import { isCollection, isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import { nestedValue } from '../data/json-value.js';
import type { LocatedChange } from '../dialect.js';
import { unsupported } from '../document-fault.js';
import type { JsonValue } from '../document-shape.js';
import { appendMember, inlineSpacing } from '../text/bracket-list.js';
import { memoizePer } from '../text/memoize.js';
import { insertLines } from '../text/splice.js';
import { isBlank, lineEndOf } from '../text/text-lines.js';
import { replaceValue } from './replace-yaml.js';
import { blockLines, contentLines, itemLines, writeFlow, writeText } from './write-yaml.js';
import {
  columnOf,
  contentEnd,
  dashOf,
  flowList,
  isBlankNode,
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
  if (isCollection(root) && root.range != null) {
    const [start, end] = root.range;
    const splices = [{ start, end, text: lines.join(lineEnd) }];
    return { splices, origin: { levels: containerDepth, replaced: text.slice(start, end) } };
  }
  return { splices: [insertLines(text, text.trimEnd().length, lines)], origin: { levels: containerDepth + 1 } };
}
