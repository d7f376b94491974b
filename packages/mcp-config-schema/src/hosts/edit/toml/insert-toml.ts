import type { AST } from 'toml-eslint-parser';
import { appendMember } from '../bracket-list.js';
import { isJsonMap } from '../data-tree.js';
import type { LocatedChange } from '../dialect.js';
import { unsupported } from '../document-fault.js';
import type { EntryFields, JsonValue } from '../document-shape.js';
import type { Splice } from '../splice.js';
import { indentAt, isBlank, isFirstOnLine, lineContentEnd, lineEndOf } from '../text-lines.js';
import { insertLines } from '../whole-lines.js';
import { fieldsOf, isSamePath, isWithin, listOf, ownEnd, type TomlPath, tablesOf } from './toml-nodes.js';
import { keyValueText, tableLines, valueText } from './write-toml.js';

/** Adds a server behind the last table of the last one, or inside the inline table that holds them all. */
export function insertEntry(
  text: string,
  program: AST.TOMLProgram,
  keyPath: readonly string[],
  name: string,
  entry: EntryFields,
): LocatedChange {
  const path = [...keyPath, name];
  const inline = inlineHolder(program, keyPath);
  if (inline !== undefined) return putInline(text, inline, path, entry, keyPath.length);

  refuseDotted(program, keyPath);
  const siblings = tablesOf(program).filter(({ resolvedKey }) => isWithin(resolvedKey, keyPath));
  const lines = tableLines(path, entry, siblingIndent(text, siblings, path.length));
  if (isBlank(text)) {
    const lineEnd = lineEndOf(text);
    const splices = [{ start: 0, end: text.length, text: lines.join(lineEnd) + lineEnd }];
    return { splices, origin: { levels: keyPath.length + 1, replaced: text } };
  }
  const above = siblings.at(-1) ?? program.body[0].body.at(-1);
  const end = above === undefined ? text.trimEnd().length : ownEnd(text, above.range[1]);
  const splices = [insertLines(text, end, ['', ...lines])];
  return siblings.length > 0 ? { splices } : { splices, origin: { levels: keyPath.length } };
}

/** Sets one field of an entry, in whichever of TOML's forms its neighbours are written. */
export function putField(
  text: string,
  program: AST.TOMLProgram,
  entryPath: readonly string[],
  fieldPath: readonly string[],
  value: JsonValue,
): readonly Splice[] {
  const path = [...entryPath, ...fieldPath];
  const fields = fieldsOf(program);
  const present = fields.find((field) => isSamePath(field.path, path));
  if (present !== undefined) {
    const [start, end] = present.node.value.range;
    return [{ start, end, text: valueText(value) }];
  }
  const inline = inlineHolder(program, path.slice(0, -1));
  if (inline !== undefined) return putInline(text, inline, path, value, 0).splices;

  const tables = tablesOf(program);
  if (tables.some(({ resolvedKey }) => isWithin(resolvedKey, path))) {
    throw unsupported('A table stands where a single value would be written');
  }
  const isTable = isJsonMap(value);
  const tablePath = isTable ? path : path.slice(0, -1);
  const holder = tables.find(({ resolvedKey, kind }) => kind === 'standard' && isSamePath(resolvedKey, tablePath));
  const [key = ''] = path.slice(-1);
  if (holder !== undefined && !isTable) return [insertKeyValue(text, holder, key, value)];

  refuseDotted(program, tablePath);
  const own = tables.filter(({ resolvedKey }) => isWithin(resolvedKey, entryPath));
  const last = own.at(-1);
  if (last === undefined) throw unsupported('This entry has no table of its own');
  const lines = tableLines(
    tablePath,
    isTable ? value : Object.fromEntries([[key, value]]),
    indentAt(text, last.range[0]),
  );
  return [insertLines(text, ownEnd(text, last.range[1]), ['', ...lines])];
}

function insertKeyValue(text: string, table: AST.TOMLTable, key: string, value: JsonValue): Splice {
  const last = table.body.at(-1);
  const above = last ?? table;
  const indent = indentAt(text, above.range[0]);
  return insertLines(text, lineContentEnd(text, above.range[1]), [indent + keyValueText(key, value)]);
}

interface InlineHolder {
  readonly table: AST.TOMLInlineTable;
  readonly path: TomlPath;
}

/** The deepest inline table on a path. */
function inlineHolder(program: AST.TOMLProgram, path: TomlPath): InlineHolder | undefined {
  const field = fieldsOf(program).findLast(({ path: own }) => isWithin(path, own));
  if (field === undefined) return undefined;
  const { value } = field.node;
  if (value.type === 'TOMLInlineTable') return { table: value, path: field.path };
  throw unsupported('A table is needed here, and another value stands here', value.range[0]);
}

function putInline(
  text: string,
  { table, path: held }: InlineHolder,
  path: readonly string[],
  value: JsonValue,
  containerDepth: number,
): LocatedChange {
  const [key = '', ...rest] = path.slice(held.length);
  const inner = rest.reduceRight<JsonValue>((nested, step) => Object.fromEntries([[step, nested]]), value);
  const levels = Math.max(0, containerDepth - held.length);
  const list = listOf(table);
  if (list.members.length === 0) {
    const { start, end } = list;
    const splices = [{ start, end, text: `{ ${keyValueText(key, inner)} }` }];
    return { splices, origin: { levels, replaced: text.slice(start, end) } };
  }
  const splices = appendMember(text, list, 'hash', () => keyValueText(key, inner));
  return levels === 0 ? { splices } : { splices, origin: { levels } };
}

/** A table that dotted keys have begun must not get a header, and readers disagree on tables below it. */
export function refuseDotted(program: AST.TOMLProgram, path: TomlPath): void {
  const dotted = fieldsOf(program).find(
    (field) => field.inline === undefined && field.holder.length < path.length && isWithin(field.path, path),
  );
  if (dotted !== undefined) throw unsupported('Dotted keys make up this table', dotted.node.range[0]);
}

/** Headers of a group may be indented; a new one follows the last that stands on the same level. */
function siblingIndent(text: string, tables: readonly AST.TOMLTable[], depth: number): string {
  const sibling = tables.findLast(({ resolvedKey }) => resolvedKey.length === depth);
  return sibling !== undefined && isFirstOnLine(text, sibling.range[0]) ? indentAt(text, sibling.range[0]) : '';
}
