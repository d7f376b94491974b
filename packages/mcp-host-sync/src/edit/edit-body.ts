import { textLimits } from '@x/internal/syntax';
import { checkLength, isTooLong } from './body-length.js';
import { withoutEmptyContainer } from './changed-data.js';
import { type Data, isSameData } from './data-tree.js';
import type { Dialect, EntryChange, Removal } from './dialect.js';
import { DocumentFault, unsupported } from './document-fault.js';
import type { ContainerOrigin, DocumentShape, EntryEdit } from './document-shape.js';
import { changesOf } from './entry-changes.js';
import { EntryTable } from './entry-table.js';
import { applySplices } from './splice.js';
import { type NumberedChange, takeWave } from './take-wave.js';

export interface EditedBody {
  readonly text: string;
  readonly origin: ContainerOrigin | undefined;
}

/**
 * Carries out edits in a text without a byte order mark, as if one after the other. A text is parsed once for all
 * changes that can be located in it; only those that another one is in the way of wait for the text that comes out.
 */
export function editBody(
  dialect: Dialect,
  original: string,
  shape: DocumentShape,
  edits: readonly EntryEdit[],
  removal: Removal,
): EditedBody {
  checkLength(original);
  let open = dialect.open(original);
  const before = open.read();
  if (edits.length === 0) return { text: original, origin: undefined };

  const expected = new EntryTable(before, shape);
  let left = numberedChanges(expected, shape, edits);
  const present = new EntryTable(before, shape);
  let text = original;
  let origin: ContainerOrigin | undefined;
  while (left.length > 0) {
    const isOriginal = text === original;
    const locate = (change: EntryChange) => open.locate(shape, change, removal);
    const wave = takeWave(left, present, text.length, (change) =>
      isOriginal ? locate(change) : orUnsafe(() => locate(change)),
    );
    text = applySplices(text, wave.splices);
    origin ??= wave.origin;
    for (const { change } of wave.taken) present.apply(change);
    left = wave.left;
    if (left.length > 0) open = orUnsafe(() => dialect.open(text));
  }
  if (text !== original) checkResult(dialect, text, shape, expected.toDocument());
  return { text, origin };
}

/** What the edits come down to, each in the document that those before it leave. */
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

/** The last word: what the splices made is read like any other text, and must say exactly what was asked for. */
function checkResult(dialect: Dialect, text: string, shape: DocumentShape, expected: Data): void {
  const prune = (data: Data) => withoutEmptyContainer(data, shape.keyPath);
  if (isTooLong(text)) throw unsupported(`The text would become longer than ${textLimits.bytes} bytes`);
  const actual = orUnsafe(() => dialect.open(text).read());
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
