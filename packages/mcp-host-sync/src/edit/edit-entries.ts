import { textLimits } from '@x/internal/syntax';
import { jsonFromData } from './data/data-tree.js';
import { entriesIn } from './data/entry-table.js';
import type { Dialect, Removal } from './dialect.js';
import {
  type ContainerOrigin,
  type DocumentShape,
  type EditOptions,
  type EditResult,
  type EntryEdit,
  type HostDialect,
  type JsonValue,
  withPositions,
} from './document.js';
import { checkLength, editBody } from './edit-body.js';
import { json5Dialect, jsonDialect } from './json/json-dialect.js';
import { contentOf } from './opened-texts.js';
import { tomlDialect } from './toml/toml-dialect.js';
import { yamlDialect } from './yaml/yaml-dialect.js';

const jsonc = jsonDialect({ comments: true, trailingCommas: true });

/** For reading. Accepts comments and trailing commas even if the host rejects them. */
const readers: Readonly<Record<HostDialect, Dialect>> = {
  json: jsonc,
  'json-comments': jsonc,
  jsonc,
  json5: json5Dialect,
  yaml: yamlDialect,
  toml: tomlDialect,
};

/** For editing. Accepts exactly the host's syntax. */
export const writers: Readonly<Record<HostDialect, Dialect>> = {
  ...readers,
  json: jsonDialect({ comments: false, trailingCommas: false }),
  'json-comments': jsonDialect({ comments: true, trailingCommas: false }),
};

/**
 * Entries of a host's file by name, in file order. Accepts comments and trailing commas in every JSON dialect. An empty
 * text has no entries.
 *
 * @param edits - Planned edits, for the manual snippet of an error.
 * @throws {HostFileError} `unreadable-document` with line and column, or `unsupported-shape`.
 */
export function readEntries(
  text: string,
  shape: DocumentShape,
  edits: readonly EntryEdit[] = [],
): ReadonlyMap<string, JsonValue> {
  checkShape(shape);
  const body = withoutMark(text);
  const snippet = () => manualSnippet(shape, edits);
  return withPositions(body, snippet, () => {
    checkLength(body);
    const document = contentOf(readers[shape.dialect], body);
    return new Map(Array.from(entriesIn(document, shape), ([name, entry]) => [name, jsonFromData(entry)]));
  });
}

/**
 * Top-level keys of a document, in file order. An empty text has none.
 *
 * @throws {HostFileError} `unreadable-document` with line and column.
 */
export function readKeys(text: string, dialect: HostDialect): readonly string[] {
  const body = withoutMark(text);
  return withPositions(
    body,
    () => undefined,
    () => {
      checkLength(body);
      const document = contentOf(readers[dialect], body);
      return document.kind === 'map' ? document.entries.map(({ key }) => key) : [];
    },
  );
}

/**
 * Applies edits to a text, in effect one after the other. Bytes outside the edited entries and fields stay, including a
 * byte order mark and a missing final newline. Parsing the result must show no other changes.
 *
 * @throws {HostFileError} `unreadable-document`: the host rejects the text, for example because of a comment.
 *   `unsupported-shape`: the text cannot be edited safely, an added entry exists with different content, or an updated
 *   one is missing.
 * @throws {TypeError} The dialect lacks a value: `null` in TOML, a number that is not finite.
 */
export function editEntries(
  text: string,
  shape: DocumentShape,
  edits: readonly EntryEdit[],
  { removeEmptyContainer = false }: EditOptions = {},
): EditResult {
  checkShape(shape);
  for (const edit of edits) checkEdit(shape, edit);
  const body = withoutMark(text);
  const snippet = () => manualSnippet(shape, edits);
  return withPositions(body, snippet, () => {
    const edited = editBody(writers[shape.dialect], body, shape, edits, removalOf(shape, removeEmptyContainer));
    const mark = text.slice(0, text.length - body.length);
    const { origin } = edited;
    const createdContainer = origin !== undefined && origin.levels > 0;
    return { text: mark + edited.text, createdContainer, ...(origin === undefined ? {} : { origin }) };
  });
}

function removalOf({ keyPath }: DocumentShape, remove: boolean | ContainerOrigin): Removal {
  if (typeof remove === 'boolean') return { levels: remove ? keyPath.length : 0, replaced: undefined };
  return { levels: remove.levels, replaced: remove.replaced };
}

/** The added entries as a minimal document, to insert by hand. */
function manualSnippet(shape: DocumentShape, edits: readonly EntryEdit[]): string | undefined {
  const adds = edits.filter((edit) => edit.type === 'add');
  if (adds.length === 0) return undefined;
  try {
    return editBody(writers[shape.dialect], '', shape, adds, removalOf(shape, false)).text;
  } catch {
    return undefined; // the dialect cannot express the entries
  }
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function checkShape({ keyPath, collection }: DocumentShape): void {
  if (keyPath.length === 0) throw new TypeError('shape.keyPath must have at least one key');
  if (collection !== 'map' && collection !== 'sequence-by-name') {
    throw new TypeError(`shape.collection must be 'map' or 'sequence-by-name', got ${JSON.stringify(collection)}`);
  }
}

/** Rejects values that the dialect cannot express, before the file is read. */
function checkEdit(shape: DocumentShape, edit: EntryEdit): void {
  const check = (value: JsonValue, where: readonly string[]) => checkValue(shape, value, where);
  check(edit.name, ['name']);
  if (edit.type === 'add') check(edit.entry, [edit.name]);
  if (edit.type !== 'update') return;
  for (const { path, value } of edit.set) {
    checkPath(shape, path);
    check(value, [edit.name, ...path]);
  }
  for (const path of edit.unset) checkPath(shape, path);
}

function checkPath({ collection, nameField = 'name' }: DocumentShape, path: readonly string[]): void {
  if (path.length === 0) throw new TypeError('The path of an update must have at least one field');
  if (collection === 'sequence-by-name' && path.length === 1 && path[0] === nameField) {
    throw new TypeError(`An update cannot change the field ${JSON.stringify(nameField)}, which is the entry's name`);
  }
}

function checkValue(shape: DocumentShape, value: JsonValue, where: readonly string[]): void {
  const reject = (what: string): never => {
    throw new TypeError(`${JSON.stringify(where.join('.'))} must be ${what}`);
  };
  if (where.length > textLimits.depth / 2) reject(`nested less than ${textLimits.depth / 2} levels deep`);
  if (typeof value === 'number' && !Number.isFinite(value)) reject('a finite number');
  if (value === null && shape.dialect === 'toml') reject('a value other than null, which TOML does not have');
  if (typeof value === 'string' && !/^json/.test(shape.dialect) && !isWellFormed(value)) {
    reject('text without lone surrogates');
  }
  if (typeof value !== 'object' || value === null) {
    if (!['string', 'number', 'boolean'].includes(typeof value) && value !== null) reject('a JSON value');
    return;
  }
  for (const [key, item] of Object.entries(value) as [string, JsonValue][]) {
    checkValue(shape, key, [...where, key]);
    checkValue(shape, item, [...where, key]);
  }
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
