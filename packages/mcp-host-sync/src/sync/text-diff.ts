import { printable } from '@x/internal/text';
import { structuredPatch } from 'diff';
import { maskParts } from './mask-text.js';

/** Content of a file before and after a change. `undefined`: there is no file. */
interface Texts {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Unified diff of a whole file, with `***` for secrets. Empty if only masked parts or line ends differ. */
export function textDiff(file: string, { before, after }: Texts): string {
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
