import type { Node } from 'jsonc-parser';
import type { LocatedChange } from '../dialect.js';
import { isList, isObject, type JsonValue, nestedValue, unsupported } from '../document.js';
import { appendMember, inlineSpacing, type MemberLayout } from '../text/bracket-list.js';
import { indentAt, indentUnit, insertion, isBlank, lineEndOf } from '../text/text-edits.js';
import { deepest, isBlankNode, listOf, maySpanLines, spanOf } from './json-nodes.js';

/**
 * Replaces the value at a path, or adds it to the deepest existing object. Creates missing objects.
 *
 * @param containerDepth - Number of keys that lead to the container; `origin.levels` counts from there.
 */
export function putValue(
  text: string,
  start: Node | undefined,
  path: readonly string[],
  value: JsonValue,
  containerDepth = 0,
): LocatedChange {
  if (start === undefined)
    return { ...newDocument(text, nestedValue(path, value)), origin: newOrigin(text, containerDepth) };

  const { node, depth } = deepest(start, path);
  const [key, ...rest] = path.slice(depth);
  if (key === undefined) return replaceValue(text, node, value, { levels: 0 });

  const levels = Math.max(0, containerDepth - depth);
  if (isBlankNode(text, node)) return replaceValue(text, node, nestedValue([key, ...rest], value), { levels });
  if (node.type !== 'object') throw unsupported('Expected a map here, found another value', node.offset);

  const write = (layout: MemberLayout) => writeJsonMember(key, nestedValue(rest, value), layoutOf(text, node, layout));
  const { splices, behind } = appendMember(text, listOf(node), 'slashes', write);
  if (levels > 0 || !node.children?.length) return { splices, origin: { levels } };
  return { splices, behind: rest.length === 0 ? behind : undefined };
}

export function appendItem(text: string, list: Node, item: JsonValue): LocatedChange {
  if (isBlankNode(text, list)) return replaceValue(text, list, [item], { levels: 0 });
  const write = (layout: MemberLayout) => writeJson(item, layoutOf(text, list, layout));
  return appendMember(text, listOf(list), 'slashes', write);
}

/** Stays on one line if the old value did or its key does not start a line. */
function replaceValue(text: string, node: Node, value: JsonValue, { levels }: { levels: number }): LocatedChange {
  const { start, end } = spanOf(node);
  const replaced = text.slice(start, end);
  const wasInline = (node.children ?? []).length > 0 && !replaced.includes('\n');
  const around = node.parent?.parent ?? node;
  const layout: MemberLayout =
    maySpanLines(text, node) && !wasInline ? linesAt(text, node, around) : { type: 'inline' };
  const splices = [{ start, end, text: writeJson(value, layoutOf(text, around, layout)) }];
  return { splices, origin: { levels, replaced } };
}

function linesAt(text: string, node: Node, around: Node): MemberLayout {
  const indent = indentAt(text, node.offset);
  const unit = indentUnit(text, around === node ? undefined : indentAt(text, around.offset), indent);
  return { type: 'lines', indent, unit };
}

function newDocument(text: string, value: JsonValue): Pick<LocatedChange, 'splices'> {
  const lineEnd = lineEndOf(text);
  const layout: MemberLayout = { type: 'lines', indent: '', unit: '  ' };
  const document = writeJson(value, { layout, spacing: { gap: ' ', pad: ' ' }, lineEnd });
  if (isBlank(text)) return { splices: [{ start: 0, end: text.length, text: document + lineEnd }] };
  return { splices: [insertion(text.trimEnd().length, lineEnd + document)] }; // after a text that has only comments
}

function newOrigin(text: string, containerDepth: number) {
  const levels = containerDepth + 1;
  return isBlank(text) ? { levels, replaced: text } : { levels };
}

/** Uses the spacing of the surrounding list; for an empty list that of its parent. */
function layoutOf(text: string, list: Node, layout: MemberLayout): JsonLayout {
  const example = (list.children ?? []).length > 0 ? list : (list.parent?.parent ?? list);
  return { layout, spacing: inlineSpacing(text, spanOf(example)), lineEnd: lineEndOf(text) };
}

/** Spacing on one line: `{ "a": 1 }`, `{"a": 1}` or `{"a":1}`. */
interface InlineSpacing {
  readonly gap: '' | ' ';
  readonly pad: '' | ' ';
}

interface JsonLayout {
  readonly layout: MemberLayout;
  readonly spacing: InlineSpacing;
  readonly lineEnd: string;
}

/** Formats a value as JSON. The first line has no indentation. */
function writeJson(value: JsonValue, { layout, spacing, lineEnd }: JsonLayout): string {
  return layout.type === 'inline'
    ? writeInline(value, spacing)
    : writeLines(value, lineEnd + layout.indent, layout.unit);
}

function writeJsonMember(key: string, value: JsonValue, options: JsonLayout): string {
  const gap = options.layout.type === 'lines' ? ' ' : options.spacing.gap;
  return `${JSON.stringify(key)}:${gap}${writeJson(value, options)}`;
}

function writeLines(value: JsonValue, newline: string, unit: string): string {
  const inner = newline + unit;
  const write = (item: JsonValue) => writeLines(item, inner, unit);
  const wrap = (open: string, members: readonly string[], close: string) =>
    members.length === 0 ? open + close : open + inner + members.join(`,${inner}`) + newline + close;

  if (isList(value)) return wrap('[', value.map(write), ']');
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${write(item)}`);
  return wrap('{', members, '}');
}

function writeInline(value: JsonValue, spacing: InlineSpacing): string {
  const { gap, pad } = spacing;
  const separator = `,${gap}`;
  if (isList(value)) return `[${value.map((item) => writeInline(item, spacing)).join(separator)}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}:${gap}${writeInline(item, spacing)}`,
  );
  return members.length === 0 ? '{}' : `{${pad}${members.join(separator)}${pad}}`;
}
