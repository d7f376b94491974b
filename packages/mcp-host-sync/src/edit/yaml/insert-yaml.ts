import { isCollection, isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import { appendMember, inlineSpacing } from '../bracket-list.js';
import type { LocatedChange } from '../dialect.js';
import { unsupported } from '../document-fault.js';
import type { JsonValue } from '../document-shape.js';
import { nestedValue } from '../nested-value.js';
import { rememberedPer } from '../remembered.js';
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
    const whole = nestedValue([key, ...rest], value);
    if (held.pair === undefined) return newDocument(text, held.node, whole, containerDepth);
    const { splices, replaced } = replaceValue(text, held, whole);
    return { splices, origin: { levels, replaced } };
  }
  if (!isMap(held.node))
    throw unsupported('A mapping is needed here, and something else stands here', startOf(held.node));
  const { splices, behind } = appendPair(text, held.node, key, nestedValue(rest, value));
  if (levels > 0) return { splices, origin: { levels } };
  return { splices, behind: rest.length === 0 ? behind : undefined };
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

type Addition = Pick<LocatedChange, 'splices' | 'behind'>;

function appendPair(text: string, map: YAMLMap, key: string, value: JsonValue): Addition {
  if (map.flow || map.items.length === 0) {
    return appendFlow(text, map, (pad) => `${writeText(key)}: ${writeFlow(value, pad)}`);
  }
  const { behind, lineEnd, indent, step } = tailOf(map, text);
  return { splices: [insertLines(text, lineEnd, blockLines(key, value, indent, step))], behind };
}

/** Adds an item to a list that has one. */
export function appendItem(text: string, list: YAMLSeq, item: JsonValue): LocatedChange {
  if (list.flow) return appendFlow(text, list, (pad) => writeFlow(item, pad));
  const { behind, lineEnd, indent, step } = tailOf(list, text);
  return { splices: [insertLines(text, lineEnd, itemLines(item, indent, step))], behind };
}

/** Where the lines of a block collection's next member go, and how they are indented. */
const tailOf = rememberedPer((node: YAMLMap | YAMLSeq, text: string) => {
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
