import { isList, isObject } from '../data/json-value.js';
import type { JsonValue } from '../document-shape.js';
import type { MemberLayout } from '../text/bracket-list.js';

/** Spacing on one line: `{ "a": 1 }`, `{"a": 1}` or `{"a":1}`. */
export interface InlineSpacing {
  readonly gap: '' | ' ';
  readonly pad: '' | ' ';
}

export interface JsonLayout {
  readonly layout: MemberLayout;
  readonly spacing: InlineSpacing;
  readonly lineEnd: string;
}

/** Formats a value as JSON. The first line has no indentation. */
export function writeJson(value: JsonValue, { layout, spacing, lineEnd }: JsonLayout): string {
  return layout.type === 'inline'
    ? writeInline(value, spacing)
    : writeLines(value, lineEnd + layout.indent, layout.unit);
}

export function writeJsonMember(key: string, value: JsonValue, options: JsonLayout): string {
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
