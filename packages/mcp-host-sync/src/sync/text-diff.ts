import { printable } from '@x/internal/text';
import { structuredPatch } from 'diff';
import type { TextChange } from '../files/write-text.js';
import { maskParts } from './mask-text.js';

/** Unified diff of a whole file, with `***` for secrets. Empty if only masked parts or line ends differ. */
export function textDiff(file: string, { before, after }: Pick<TextChange, 'before' | 'after'>): string {
  const shown = (text: string | undefined) => maskParts((text ?? '').replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'));
  const { hunks } = structuredPatch('', '', shown(before), shown(after), undefined, undefined, { context: 3 });
  if (hunks.length === 0) return '';
  const none = '/dev/null';
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: changed }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...changed.map(printable),
  ]);
  const name = printable(file);
  return [`--- ${before === undefined ? none : name}`, `+++ ${after === undefined ? none : name}`, ...lines].join('\n');
}
