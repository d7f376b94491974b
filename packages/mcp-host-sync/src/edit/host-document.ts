import { checkLength } from './body-length.js';
import { jsonFromData } from './data-tree.js';
import type { Removal } from './dialect.js';
import { readers, writers } from './dialects.js';
import { withPlaces } from './document-fault.js';
import type {
  ContainerOrigin,
  DocumentShape,
  EditOptions,
  EditResult,
  EntryEdit,
  JsonValue,
} from './document-shape.js';
import { editBody } from './edit-body.js';
import { checkEdit, checkShape } from './entry-checks.js';
import { entriesIn } from './entry-data.js';

/**
 * The entries of a host's file by name, in the order of the text. JSON is read with comments and trailing commas in
 * every dialect; an empty text has no entries.
 *
 * @param edits - What was to be done to them, for the manual snippet of an error.
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
  return withPlaces(body, snippet, () => {
    checkLength(body);
    const document = readers[shape.dialect].open(body).read();
    return new Map(Array.from(entriesIn(document, shape), ([name, entry]) => [name, jsonFromData(entry)]));
  });
}

/**
 * Carries out edits as if one after the other, in text: every byte outside the edited entries and fields stays, byte order
 * mark and missing final newline included. The result has been read again in the host's dialect, and all that no edit
 * names says what it said before; otherwise this throws and returns nothing.
 *
 * @throws {HostFileError} `unreadable-document` (also for a comment or trailing comma that the host does not read) or
 * `unsupported-shape` (also for an entry to add that is there and says something else, and one to update that is not
 * there), with a manual snippet where one helps.
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

/** What to add by hand: the added entries as the smallest document of the dialect. */
function manualSnippet(shape: DocumentShape, edits: readonly EntryEdit[]): string | undefined {
  const adds = edits.filter((edit) => edit.type === 'add');
  if (adds.length === 0) return undefined;
  try {
    return editBody(writers[shape.dialect], '', shape, adds, removalOf(shape, false)).text;
  } catch {
    return undefined; // no text of this dialect holds them, so there is none to show
  }
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
