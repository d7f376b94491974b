import type { AST } from 'toml-eslint-parser';
import type { LocatedChange } from '../dialect.js';
import { type EntryFields, isList, isObject, type JsonValue, nestedValue, unsupported } from '../document.js';
import { appendMember, type BracketList, hasComments } from '../text/bracket-list.js';
import { memoizePer } from '../text/memoize.js';
import { indentAt, insertLines, isBlank, isFirstOnLine, lineContentEnd, lineEndOf } from '../text/text-edits.js';
import { listOf, ownEnd, type TomlField, type TomlOutline, type TomlParts, type TomlPath } from './toml-outline.js';

export function insertEntry(
  text: string,
  outline: TomlOutline,
  keyPath: readonly string[],
  name: string,
  entry: EntryFields,
): LocatedChange {
  const path = [...keyPath, name];
  const inline = inlineHolder(outline, keyPath);
  if (inline !== undefined) {
    return putInline(text, inline, path, entry, { containerDepth: keyPath.length, isDotted: false });
  }

  return appendTable(text, outline, keyPath, (indent) => tableLines(path, entry, indent));
}

/** Adds an item to a list. A missing list becomes an array of tables. */
export function insertItem(
  text: string,
  outline: TomlOutline,
  keyPath: readonly string[],
  entry: EntryFields,
): LocatedChange {
  const value = outline.at(keyPath).field?.node.value;
  if (value?.type === 'TOMLArray') return appendItem(text, listOf(value), entry);
  if (outline.fieldAbove(keyPath) !== undefined) throw unsupported('Expected a list here, found another value');
  return appendTable(text, outline, keyPath, (indent) => itemTableLines(keyPath, entry, indent));
}

function appendItem(text: string, list: BracketList, entry: EntryFields): LocatedChange {
  const item = valueText(entry);
  if (list.members.length > 0 || hasComments(text, list, 'hash')) return appendMember(text, list, 'hash', () => item);
  const { start, end } = list;
  return {
    splices: [{ start, end, text: `[${item}]` }],
    origin: { levels: 0, replaced: text.slice(start, end) },
  };
}

function appendTable(
  text: string,
  outline: TomlOutline,
  keyPath: readonly string[],
  linesAt: (indent: string) => readonly string[],
): LocatedChange {
  const parts = outline.at(keyPath);
  const { above, end, indent } = tailOf(outline, text, keyPath);
  rejectDotted(parts);
  const lines = linesAt(indent);
  if (isBlank(text)) {
    const lineEnd = lineEndOf(text);
    const splices = [{ start: 0, end: text.length, text: lines.join(lineEnd) + lineEnd }];
    return { splices, origin: { levels: keyPath.length + 1, replaced: text } };
  }
  const splices = [insertLines(text, end, ['', ...lines])];
  if (above === undefined) return { splices, origin: { levels: keyPath.length } };
  return { splices, behind: { list: parts, end: above.range[1] } };
}

/** Indents the header like the last one at the same level. */
const tailOf = memoizePer((outline: TomlOutline, text: string, keyPath: readonly string[]) => {
  const { tables } = outline.at(keyPath);
  const above = tables.at(-1)?.table;
  const last = above ?? outline.program.body[0].body.at(-1);
  const end = last === undefined ? text.trimEnd().length : ownEnd(text, last.range[1]);
  const sibling = tables.findLast(({ table }) => table.resolvedKey.length === keyPath.length + 1)?.table;
  const isIndented = sibling !== undefined && isFirstOnLine(text, sibling.range[0]);
  return { above, end, indent: isIndented ? indentAt(text, sibling.range[0]) : '' };
});

export function putField(
  text: string,
  outline: TomlOutline,
  entryPath: TomlPath,
  fieldPath: readonly string[],
  value: JsonValue,
): LocatedChange {
  const path = [...entryPath, ...fieldPath];
  const { field: present, tables } = outline.at(path);
  if (present !== undefined) {
    const [start, end] = present.node.value.range;
    return { splices: [{ start, end, text: valueText(value) }] };
  }
  rejectDotted(outline.at(path));
  const holderPath = path.slice(0, -1);
  const last = outline.at(holderPath).dotted.at(-1);
  const inline = inlineHolder(outline, holderPath);
  if (inline !== undefined)
    return putInline(text, inline, path, value, { containerDepth: 0, isDotted: last !== undefined });

  if (tables.length > 0) throw unsupported('A table exists where a single value would be written');
  if (last !== undefined) return insertDotted(text, last, path, value);
  const isTable = isObject(value);
  const tablePath = isTable ? path : path.slice(0, -1);
  const parts = outline.at(tablePath);
  const key = String(path.at(-1));
  const holder = isTable ? undefined : parts.tables.find(({ table }) => isHeaderOf(table, tablePath))?.table;
  if (holder !== undefined) return insertKeyValue(text, holder, key, value);

  const above = outline.at(entryPath).tables.at(-1)?.table;
  if (above === undefined) throw unsupported('This entry has no table header');
  const lines = tableLines(
    tablePath,
    isTable ? value : Object.fromEntries([[key, value]]),
    indentAt(text, above.range[0]),
  );
  return { splices: [insertLines(text, ownEnd(text, above.range[1]), ['', ...lines])] };
}

/** Adds a pair to a table that dotted keys define, below the last of them. */
function insertDotted(text: string, { node, holder }: TomlField, path: TomlPath, value: JsonValue): LocatedChange {
  const [start, end] = node.range;
  const line = indentAt(text, start) + keyValueText(path.slice(holder.length).map(String), value);
  return { splices: [insertLines(text, lineContentEnd(text, end), [line])] };
}

/** True for a header with exactly this path, among those at or below it. */
function isHeaderOf({ resolvedKey }: AST.TOMLTable, path: TomlPath): boolean {
  return resolvedKey.length === path.length;
}

function insertKeyValue(text: string, table: AST.TOMLTable, key: string, value: JsonValue): LocatedChange {
  const above = table.body.at(-1) ?? table;
  const end = above.range[1];
  const line = indentAt(text, above.range[0]) + keyValueText([key], value);
  return { splices: [insertLines(text, lineContentEnd(text, end), [line])], behind: { list: table, end } };
}

interface InlineHolder {
  readonly table: AST.TOMLInlineTable;
  readonly path: TomlPath;
}

function inlineHolder(outline: TomlOutline, path: TomlPath): InlineHolder | undefined {
  const field = outline.fieldAbove(path);
  if (field === undefined) return undefined;
  const { value } = field.node;
  if (value.type === 'TOMLInlineTable') return { table: value, path: field.path };
  const index = path[field.path.length];
  const item = value.type === 'TOMLArray' && typeof index === 'number' ? value.elements[index] : undefined;
  if (item?.type === 'TOMLInlineTable') return { table: item, path: [...field.path, Number(index)] };
  throw unsupported('Expected a table here, found another value', value.range[0]);
}

function putInline(
  text: string,
  { table, path: holderPath }: InlineHolder,
  path: TomlPath,
  value: JsonValue,
  { containerDepth, isDotted }: { readonly containerDepth: number; readonly isDotted: boolean },
): LocatedChange {
  const keys = path.slice(holderPath.length).map(String);
  const [key = '', ...rest] = keys;
  const member = isDotted ? keyValueText(keys, value) : keyValueText([key], nestedValue(rest, value));
  const levels = Math.max(0, containerDepth - holderPath.length);
  const list = listOf(table);
  if (list.members.length === 0) {
    const { start, end } = list;
    const splices = [{ start, end, text: `{ ${member} }` }];
    return { splices, origin: { levels, replaced: text.slice(start, end) } };
  }
  const { splices, behind } = appendMember(text, list, 'hash', () => member);
  if (levels > 0) return { splices, origin: { levels } };
  return { splices, behind: rest.length === 0 ? behind : undefined };
}

/** Rejects a table that dotted keys define: TOML forbids a header for it. */
function rejectDotted({ dotted }: TomlParts): void {
  const [first] = dotted;
  if (first !== undefined)
    throw unsupported(
      'Dotted keys define this table, which is not supported; give the table a header',
      first.node.range[0],
    );
}

/** A header with the fields below it. Numbers of the path are implied: a header means the last item of a list. */
export function tableLines(path: TomlPath, fields: EntryFields, indent: string): readonly string[] {
  return headedLines(path, fields, indent, ['[', ']']);
}

/** An item of an array of tables. */
export function itemTableLines(path: TomlPath, fields: EntryFields, indent: string): readonly string[] {
  return headedLines(path, fields, indent, ['[[', ']]']);
}

function headedLines(
  path: TomlPath,
  fields: EntryFields,
  indent: string,
  [open, close]: readonly [string, string],
): readonly string[] {
  const name = path.flatMap((key) => (typeof key === 'string' ? keyText(key) : [])).join('.');
  const entries = Object.entries(fields);
  const own = entries.flatMap(([key, value]) => (isObject(value) ? [] : [indent + keyValueText([key], value)]));
  const inner = entries.flatMap(([key, value]) =>
    isObject(value) ? ['', ...tableLines([...path, key], value, indent)] : [],
  );
  return [`${indent}${open}${name}${close}`, ...own, ...inner];
}

function keyValueText(keys: readonly string[], value: JsonValue): string {
  return `${keys.map(keyText).join('.')} = ${valueText(value)}`;
}

/** Formats a value on one line; maps become inline tables. */
function valueText(value: JsonValue): string {
  if (isList(value)) return `[${value.map(valueText).join(', ')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, item]) => keyValueText([key], item));
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  if (typeof value === 'string') return basicString(value);
  const text = JSON.stringify(value);
  // A whole number outside of the integer range of TOML must be a float.
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(text) ? `${text}.0` : text;
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : basicString(key);
}

/** JSON escapes are valid in TOML, except that JSON leaves U+007F unescaped. */
function basicString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
