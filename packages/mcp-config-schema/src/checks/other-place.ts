import type { SourcePosition } from '../config.js';
import type { SourceText } from '../source/source-text.js';

/** A position relative to `source`: `on line 4`, or `in tools.yaml, line 4`. */
export function otherPlace({ file, line }: SourcePosition, source: SourceText): string {
  return file === source.file ? `on line ${line}` : `in ${file ?? 'another text'}, line ${line}`;
}
