import { limits } from '../../source/limits.js';
import { changed, withoutEmptyContainer } from './changed-data.js';
import { type Data, isSameData, jsonFromData } from './data-tree.js';
import type { Dialect, Removal } from './dialect.js';
import { DocumentFault, unreadable, unsupported, withPlaces } from './document-fault.js';
import type {
  ContainerOrigin,
  DocumentShape,
  EditOptions,
  EditResult,
  EntryEdit,
  HostDialect,
  JsonValue,
} from './document-shape.js';
import { changesOf, type EntryChange } from './entry-changes.js';
import { checkEdit, checkShape } from './entry-checks.js';
import { entriesIn } from './entry-data.js';
import { jsonDialect } from './json/json-dialect.js';
import { json5Dialect } from './json/json5-dialect.js';
import { applySplices } from './splice.js';
import { tomlDialect } from './toml/toml-dialect.js';
import { yamlDialect } from './yaml/yaml-dialect.js';

/**
 * The entries of a host's file by name, in the order of the text. JSON is read with comments and trailing commas in
 * every dialect; an empty text has no entries.
 *
 * @throws {HostFileError} `unreadable-document` with line and column, or `unsupported-shape`.
 */
export function readEntries(text: string, shape: DocumentShape): ReadonlyMap<string, JsonValue> {
  checkShape(shape);
  const body = withoutMark(text);
  return withPlaces(body, noSnippet, () => {
    const document = read(readers[shape.dialect], body);
    return new Map(Array.from(entriesIn(document, shape), ([name, entry]) => [name, jsonFromData(entry)]));
  });
}

/**
 * Carries out edits one after the other, in text: every byte outside the edited entries and fields stays, byte order
 * mark and missing final newline included. The result has been read again in the host's dialect, and all that no edit
 * names says what it said before; otherwise this throws and returns nothing.
 *
 * @throws {HostFileError} `unreadable-document` (also for a comment or trailing comma that the host does not read),
 * `unsupported-shape`, `entry-exists` or `unknown-entry`, with a manual snippet where one helps.
 * @throws {TypeError} An entry that the dialect cannot hold: `null` in TOML, a number that is not finite, …
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
  return withPlaces(body, snippet, () => {
    const edited = editBody(body, shape, edits, removalOf(shape, removeEmptyContainer));
    const mark = text.slice(0, text.length - body.length);
    const { origin } = edited;
    const createdContainer = origin !== undefined && origin.levels > 0;
    return { text: mark + edited.text, createdContainer, ...(origin === undefined ? {} : { origin }) };
  });
}

interface EditedBody {
  readonly text: string;
  readonly origin: ContainerOrigin | undefined;
}

function editBody(original: string, shape: DocumentShape, edits: readonly EntryEdit[], removal: Removal): EditedBody {
  const dialect = writers[shape.dialect];
  const before = read(dialect, original);
  let expected = before;
  let text = original;
  let origin: ContainerOrigin | undefined;
  const locate = (current: string, change: EntryChange) => dialect.locate(current, shape, change, removal);
  for (const edit of edits) {
    for (const change of changesOf(expected, shape, edit)) {
      expected = changed(expected, shape, change);
      const located = text === original ? locate(text, change) : orUnsafe(() => locate(text, change));
      text = applySplices(text, located.splices);
      if (change.type === 'insert') origin ??= located.origin;
    }
  }
  if (text !== original) checkResult(dialect, text, shape, expected);
  return { text, origin };
}

/** The last word: what the splices made is read like any other text, and must say exactly what was asked for. */
function checkResult(dialect: Dialect, text: string, shape: DocumentShape, expected: Data): void {
  const prune = (data: Data) => withoutEmptyContainer(data, shape.keyPath);
  const actual = orUnsafe(() => read(dialect, text));
  if (!isSameData(prune(actual), prune(expected))) {
    throw unsupported('Editing this document would change more than the entry, as where an anchor is used elsewhere');
  }
}

/** What was read once and cannot be read after a splice was not understood. */
function orUnsafe<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof DocumentFault)) throw cause;
    throw unsupported('This document is laid out in a way that cannot be edited safely', undefined, { cause });
  }
}

function read(dialect: Dialect, body: string): Data {
  const bytes = body.length > limits.textBytes ? body.length : new TextEncoder().encode(body).length;
  if (bytes > limits.textBytes) throw unreadable(`The text is longer than ${limits.textBytes} bytes`, 0);
  return dialect.read(body);
}

function removalOf({ keyPath }: DocumentShape, remove: boolean | ContainerOrigin): Removal {
  if (typeof remove === 'boolean') return { levels: remove ? keyPath.length : 0, replaced: undefined };
  return { levels: remove.levels, replaced: remove.replaced };
}

/** What to add by hand: the added entries as the smallest document of the dialect. */
function manualSnippet(shape: DocumentShape, edits: readonly EntryEdit[]): string | undefined {
  const adds = edits.filter((edit) => edit.type === 'add');
  if (adds.length === 0) return undefined;
  try {
    return editBody('', shape, adds, removalOf(shape, false)).text;
  } catch {
    return undefined; // no text of this dialect holds them, so there is none to show
  }
}

const noSnippet = () => undefined;

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

const jsonc = jsonDialect({ comments: true, trailingCommas: true });

const readers: Readonly<Record<HostDialect, Dialect>> = {
  json: jsonc,
  'json-comments': jsonc,
  jsonc,
  json5: json5Dialect,
  yaml: yamlDialect,
  toml: tomlDialect,
};

const writers: Readonly<Record<HostDialect, Dialect>> = {
  ...readers,
  json: jsonDialect({ comments: false, trailingCommas: false }),
  'json-comments': jsonDialect({ comments: true, trailingCommas: false }),
};
