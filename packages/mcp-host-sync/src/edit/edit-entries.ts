import { jsonFromData } from './data/data-tree.js';
import { entriesIn } from './data/entry-data.js';
import type { Dialect, Removal } from './dialect.js';
import { withPositions } from './document-fault.js';
import type {
  ContainerOrigin,
  DocumentShape,
  EditOptions,
  EditResult,
  EntryEdit,
  HostDialect,
  JsonValue,
} from './document-shape.js';
import { checkLength, editBody } from './edit-body.js';
import { checkEdit, checkShape } from './entry-checks.js';
import { jsonDialect } from './json/json-dialect.js';
import { json5Dialect } from './json/json5-dialect.js';
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
    const document = readers[shape.dialect].open(body).read();
    return new Map(Array.from(entriesIn(document, shape), ([name, entry]) => [name, jsonFromData(entry)]));
  });
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
