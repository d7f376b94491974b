import type { AST } from 'toml-eslint-parser';
import type { BracketList } from '../bracket-list.js';
import type { Span } from '../splice.js';
import { isBlank, lineContentEnd, nextLineStart } from '../text-lines.js';

/** Keys from the document down; numbers count the tables of an array of tables. */
export type TomlPath = readonly (string | number)[];

/** A `key = value` anywhere, with all the keys that lead to it. */
export interface TomlField {
  readonly path: TomlPath;
  readonly node: AST.TOMLKeyValue;
  /** The keys of the table or inline table that it is written in. */
  readonly holder: TomlPath;
  readonly inline: AST.TOMLInlineTable | undefined;
}

export function keyNames(key: AST.TOMLKey): readonly string[] {
  return key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
}

function spanOf({ range: [start, end] }: AST.TOMLNode): Span {
  return { start, end };
}

export function listOf(table: AST.TOMLInlineTable): BracketList {
  return { ...spanOf(table), members: table.body.map(spanOf) };
}

export function tablesOf(program: AST.TOMLProgram): readonly AST.TOMLTable[] {
  return program.body[0].body.filter((item) => item.type === 'TOMLTable');
}

export function fieldsOf(program: AST.TOMLProgram): readonly TomlField[] {
  return program.body[0].body.flatMap((item) =>
    item.type === 'TOMLKeyValue'
      ? fieldsWithin([], item, undefined)
      : item.body.flatMap((keyValue) => fieldsWithin(item.resolvedKey, keyValue, undefined)),
  );
}

function fieldsWithin(
  holder: TomlPath,
  node: AST.TOMLKeyValue,
  inline: AST.TOMLInlineTable | undefined,
): readonly TomlField[] {
  const path = [...holder, ...keyNames(node.key)];
  const field = { path, node, holder, inline };
  const { value } = node;
  if (value.type !== 'TOMLInlineTable') return [field];
  return [field, ...value.body.flatMap((inner) => fieldsWithin(path, inner, value))];
}

/** Whether a path leads to, or below, another one. */
export function isWithin(path: TomlPath, outer: TomlPath): boolean {
  return path.length >= outer.length && outer.every((step, index) => path[index] === step);
}

export function isSamePath(a: TomlPath, b: TomlPath): boolean {
  return a.length === b.length && isWithin(a, b);
}

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
