import { printable } from '@x/internal/text';
import { structuredPatch } from 'diff';
import { isObject } from '../edit/data/json-value.js';
import type { DocumentShape, EntryFields, JsonValue } from '../edit/document-shape.js';
import { tableLines } from '../edit/toml/write-toml.js';
import { blockLines, itemLines } from '../edit/yaml/write-yaml.js';
import { type MaskOptions, markChanges, maskEntry } from './mask-entry.js';

export interface EntryDiff extends MaskOptions {
  readonly file: string;
  readonly shape: DocumentShape;
  readonly name: string;
  readonly before: EntryFields | undefined;
  readonly after: EntryFields | undefined;
}

/** Unified diff of one entry in the syntax of its file, with masked secrets. */
export function entryDiff({ file, shape, name, before, after, ...options }: EntryDiff): string {
  const masked = (entry: EntryFields | undefined) => entry && maskEntry(entry, options);
  const shownAfter = masked(after);
  const marked = before && after && shownAfter ? markChanges(before, after, shownAfter) : shownAfter;
  const text = (entry: JsonValue | undefined) =>
    isObject(entry) ? `${entryLines(entry, shape, name).join('\n')}\n` : '';
  const { hunks } = structuredPatch('', '', text(masked(before)), text(marked), undefined, undefined, { context: 3 });
  if (hunks.length === 0) return '';

  const place = printable([...shape.keyPath, name].join(' › '));
  const shown = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: changed }) => [
    `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@ ${place}`,
    ...changed.map(printable),
  ]);
  return [`--- ${printable(file)}`, `+++ ${printable(file)}`, ...shown].join('\n');
}

/** Unified diffs give the preceding line for an empty range. */
function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

function entryLines(
  entry: EntryFields,
  { dialect, keyPath, collection }: DocumentShape,
  name: string,
): readonly string[] {
  switch (dialect) {
    case 'toml':
      return tableLines([...keyPath, name], entry, '');
    case 'yaml':
      return collection === 'map' ? blockLines(name, entry, '', '  ') : itemLines(entry, '', '  ');
    default:
      return JSON.stringify(entry, null, 2).split('\n');
  }
}
