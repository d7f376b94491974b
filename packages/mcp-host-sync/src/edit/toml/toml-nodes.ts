import type { AST } from 'toml-eslint-parser';
import type { BracketList } from '../text/bracket-list.js';
import { memoizePer } from '../text/memoize.js';
import type { Span } from '../text/splice.js';
import { isBlank, lineContentEnd, nextLineStart } from '../text/text-lines.js';

/** Keys from the document root. Numbers are indexes in an array of tables. */
export type TomlPath = readonly (string | number)[];

export function keyNames(key: AST.TOMLKey): readonly string[] {
  return key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
}

function spanOf({ range: [start, end] }: AST.TOMLNode): Span {
  return { start, end };
}

export const listOf = memoizePer(
  (table: AST.TOMLInlineTable): BracketList => ({ ...spanOf(table), members: table.body.map(spanOf) }),
);

/** End of the lines of an item. Includes comments directly below, unless another item follows them. */
export function ownEnd(text: string, contentEndsAt: number): number {
  const own = lineContentEnd(text, contentEndsAt);
  let end = own;
  for (let start = nextLineStart(text, end); start < text.length; start = nextLineStart(text, start)) {
    const line = text.slice(start, lineContentEnd(text, start));
    if (isBlank(line)) return end;
    if (!/^[ \t]*#/.test(line)) return own;
    end = start + line.length;
  }
  return end;
}
