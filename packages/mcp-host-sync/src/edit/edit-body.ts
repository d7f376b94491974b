import { textLimits } from '@x/internal/syntax';
import { type Data, isSameData, withoutEmptyContainer } from './data/data-tree.js';
import { changesOf, EntryTable } from './data/entry-table.js';
import type { Dialect, EntryChange, Removal } from './dialect.js';
import { type ContainerOrigin, DocumentFault, type DocumentShape, type EntryEdit, unsupported } from './document.js';
import { type NumberedChange, nextBatch } from './next-batch.js';
import { contentOf, openForEdit } from './opened-texts.js';
import { applySplices } from './text/text-edits.js';

interface EditedBody {
  readonly text: string;
  readonly origin: ContainerOrigin | undefined;
}

/**
 * Applies edits, in effect one after the other. Applies all changes that do not conflict at once; the others wait for
 * the next text.
 */
export function editBody(
  dialect: Dialect,
  original: string,
  shape: DocumentShape,
  edits: readonly EntryEdit[],
  removal: Removal,
): EditedBody {
  checkLength(original);
  let open = openForEdit(dialect, original);
  const before = open.read();
  if (edits.length === 0) return { text: original, origin: undefined };

  const expected = new EntryTable(before, shape);
  let remaining = numberedChanges(expected, shape, edits);
  if (remaining.length === 0) return { text: original, origin: undefined };
  const present = new EntryTable(before, shape);
  let text = original;
  let origin: ContainerOrigin | undefined;
  /** Where the first edit is, in the original text. */
  let place: number | undefined;
  while (remaining.length > 0) {
    const isOriginal = text === original;
    const locate = (change: EntryChange) => open.locate(shape, change, removal);
    const batch = nextBatch(remaining, present, text.length, (change) =>
      isOriginal ? locate(change) : orUnsupported(() => locate(change), place),
    );
    place ??= batch.splices[0]?.start;
    text = applySplices(text, batch.splices);
    origin ??= batch.origin;
    for (const { change } of batch.accepted) present.apply(change);
    remaining = batch.remaining;
    if (remaining.length > 0) open = orUnsupported(() => dialect.open(text), place);
  }
  checkResult(dialect, text, { shape, expected: expected.toDocument(), place });
  return { text, origin };
}

function numberedChanges(
  table: EntryTable,
  shape: DocumentShape,
  edits: readonly EntryEdit[],
): readonly NumberedChange[] {
  return edits.flatMap((edit, index) => {
    const changes = changesOf(table, shape, edit);
    for (const change of changes) table.apply(change);
    return changes.map((change) => ({ edit: index, change }));
  });
}

interface WantedResult {
  readonly shape: DocumentShape;
  readonly expected: Data;
  readonly place: number | undefined;
}

/** The edited text must parse to exactly the expected content. */
function checkResult(dialect: Dialect, text: string, { shape, expected, place }: WantedResult): void {
  const prune = (data: Data) => withoutEmptyContainer(data, shape.keyPath);
  if (isTooLong(text))
    throw unsupported(`The edited text would have more than ${textLimits.bytes} bytes, which is the limit`);
  const actual = orUnsupported(() => contentOf(dialect, text), place);
  if (!isSameData(prune(actual), prune(expected))) {
    throw unsupported(
      'This edit would change more than the entry, for example the value of an anchor that is used elsewhere',
      place,
    );
  }
}

/** A parse error after a splice means that the layout of the original text is not supported. */
function orUnsupported<T>(work: () => T, place: number | undefined): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof DocumentFault)) throw cause;
    throw unsupported('The layout of this document cannot be edited safely here', place, { cause });
  }
}

function isTooLong(body: string): boolean {
  return body.length > textLimits.bytes || new TextEncoder().encode(body).length > textLimits.bytes;
}

/** @throws {DocumentFault} `too-large` */
export function checkLength(body: string): void {
  if (isTooLong(body))
    throw new DocumentFault('too-large', `The text has more than ${textLimits.bytes} bytes, which is the limit`);
}
