import type { AST } from 'toml-eslint-parser';
import type { BracketList } from '../bracket-list.js';
import { rememberedPer } from '../remembered.js';
import type { Span } from '../splice.js';
import { isBlank, lineContentEnd, nextLineStart } from '../text-lines.js';

/** Keys from the document down; numbers count the tables of an array of tables. */
export type TomlPath = readonly (string | number)[];

export function keyNames(key: AST.TOMLKey): readonly string[] {
  return key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
}

function spanOf({ range: [start, end] }: AST.TOMLNode): Span {
  return { start, end };
}

export const listOf = rememberedPer(
  (table: AST.TOMLInlineTable): BracketList => ({ ...spanOf(table), members: table.body.map(spanOf) }),
);

/**
 * The end of the lines that belong to something: the line of its last character, and comments right below it unless
 * they stand right above something else, which they introduce.
 */
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
