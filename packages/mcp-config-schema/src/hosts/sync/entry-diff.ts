import { structuredPatch } from 'diff';
import { printable } from '../../printable.js';
import type { EntryFields } from '../edit/document-shape.js';
import { type MaskOptions, markChanges, maskEntry } from './mask-entry.js';

export interface EntryDiff extends MaskOptions {
  readonly file: string;
  readonly keyPath: readonly string[];
  readonly name: string;
  readonly before: EntryFields | undefined;
  readonly after: EntryFields | undefined;
}

/**
 * One entry as a unified diff. Entries are shown as JSON whatever the file is written in, so that all hosts read
 * alike, and nothing of the file but this entry is ever shown.
 */
export function entryDiff({ file, keyPath, name, before, after, ...options }: EntryDiff): string {
  const masked = (entry: EntryFields | undefined) => entry && maskEntry(entry, options);
  const shownAfter = masked(after);
  const marked = before && after && shownAfter ? markChanges(before, after, shownAfter) : shownAfter;
  const { hunks } = structuredPatch('', '', lines(masked(before)), lines(marked), undefined, undefined, { context: 3 });
  if (hunks.length === 0) return '';

  const place = printable([...keyPath, name].join(' › '));
  const shown = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: changed }) => [
    `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@ ${place}`,
    ...changed.map(printable),
  ]);
  return [`--- ${printable(file)}`, `+++ ${printable(file)}`, ...shown].join('\n');
}

/** Of nothing, unified diffs say where it would follow, and not where it starts. */
function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

function lines(value: unknown): string {
  return value === undefined ? '' : `${JSON.stringify(value, null, 2)}\n`;
}
