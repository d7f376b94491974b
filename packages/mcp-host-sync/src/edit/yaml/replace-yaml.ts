import { isCollection } from 'yaml';
import { unsupported } from '../document-fault.js';
import type { JsonValue } from '../document-shape.js';
import { inlineSpacing } from '../text/bracket-list.js';
import { deletion, insertion, type Splice } from '../text/splice.js';
import { isBlank, lineContentEnd, lineEndOf, lineStart, nextLineStart, previousLineEnd } from '../text/text-lines.js';
import { contentLines, isFlat, writeFlow } from './write-yaml.js';
import {
  colonEnd,
  contentEnd,
  hasProperties,
  isBlankNode,
  isEmptyScalar,
  pairEnd,
  spacesBefore,
  startOf,
  stepOf,
  type YamlSlot,
} from './yaml-nodes.js';

interface Replacement {
  readonly splices: readonly Splice[];
  readonly replaced: string;
}

/** Replaces the value of a key. Comments next to it stay. */
export function replaceValue(text: string, { node, pair, owner }: YamlSlot, value: JsonValue): Replacement {
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
