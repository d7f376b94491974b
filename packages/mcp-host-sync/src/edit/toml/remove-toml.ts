import type { AST } from 'toml-eslint-parser';
import type { Removal } from '../dialect.js';
import { unsupported } from '../document.js';
import { type BracketList, hasComments, removeMember } from '../text/bracket-list.js';
import {
  deleteLines,
  deletion,
  isBlank,
  lineContentEnd,
  lineStart,
  nextLineStart,
  previousLineEnd,
  type Splice,
} from '../text/text-edits.js';
import { listOf, type PlacedTable, type TomlField, type TomlOutline, type TomlPath } from './toml-outline.js';

export function removeEntry(text: string, outline: TomlOutline, path: TomlPath, removal: Removal): readonly Splice[] {
  const { field, tables } = outline.at(path);
  const list = outline.at(path.slice(0, -1)).field?.node.value;
  if (list?.type === 'TOMLArray') return removeItem(text, listOf(list), Number(path.at(-1)), removal);
  if (field?.inline !== undefined) return removeInline(text, outline, path.length - 1, field, removal);

  const { program } = outline;
  const isWhole = tables.length === program.body[0].body.length && program.comments.length === 0;
  if (isWhole && removal.levels >= path.length) return [{ start: 0, end: text.length, text: removal.replaced ?? '' }];
  return removeAt(text, outline, path);
}

/** Returns no splices if the field does not exist. */
export function removeAt(text: string, outline: TomlOutline, path: TomlPath): readonly Splice[] {
  const { field, dotted, tables } = outline.at(path);
  const pairs = field === undefined ? dotted : [field];
  const [first, second] = pairs;
  if (first?.inline !== undefined) {
    if (second !== undefined)
      throw unsupported(
        'Several dotted keys of one line define this table, which is not supported; write them as an inline table',
        first.node.range[0],
      );
    return removeMember(text, listOf(first.inline), first.inline.body.indexOf(first.node), 'hash');
  }
  return withoutOverlaps(text, [
    ...pairs.map(({ node: { range } }) => deleteLines(text, range[0], lineContentEnd(text, range[1]))),
    ...runsOf(tables).map(([start, end]) => deleteTables(text, start.table, end.table)),
  ]);
}

/** Joins deletions: those of the first lines of a text include the line end below. */
function withoutOverlaps(text: string, deletions: readonly Splice[]): readonly Splice[] {
  const joined: Splice[] = [];
  for (const each of deletions.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || each.start >= last.end) joined.push(each);
    else joined[joined.length - 1] = deletion(last.start, nextLineStart(text, each.end));
  }
  return joined;
}

/** Groups adjacent tables. */
function runsOf(tables: readonly PlacedTable[]): readonly (readonly [PlacedTable, PlacedTable])[] {
  const runs: [PlacedTable, PlacedTable][] = [];
  for (const table of tables) {
    const run = runs.at(-1);
    if (run !== undefined && run[1].index === table.index - 1) run[1] = table;
    else runs.push([table, table]);
  }
  return runs;
}

/** Deletes tables with the blank line above them, or below at the start of the text. Comments below stay. */
function deleteTables(text: string, first: AST.TOMLTable, last: AST.TOMLTable): Splice {
  const start = lineStart(text, first.range[0]);
  const end = lineContentEnd(text, last.range[1]);
  const above = previousLineEnd(text, start);
  if (above !== undefined) {
    const hasBlankLine = isBlank(text.slice(lineStart(text, above), above));
    return deletion(hasBlankLine ? (previousLineEnd(text, above) ?? 0) : above, end);
  }
  const below = nextLineStart(text, end);
  const hasBlankLine = isBlank(text.slice(below, lineContentEnd(text, below))) && !isBlank(text.slice(below));
  return deletion(0, hasBlankLine ? nextLineStart(text, below) : below);
}

function removeInline(
  text: string,
  outline: TomlOutline,
  containerDepth: number,
  field: TomlField,
  { levels, replaced }: Removal,
): readonly Splice[] {
  let member = field;
  let left = levels;
  while (left > 0 && member.path.length > containerDepth - levels + 1) {
    const holder = outline.at(member.holder).field;
    if (holder?.inline === undefined || !isAlone(text, member)) break;
    member = holder;
    left -= 1;
  }
  const { inline, node } = member;
  if (inline === undefined) throw unsupported('The entry is not at its expected position', node.range[0]);
  const list = listOf(inline);
  if (left === 0 && replaced !== undefined && isAlone(text, member)) return [{ ...list, text: replaced }];
  return removeMember(text, list, inline.body.indexOf(node), 'hash');
}

function removeItem(text: string, list: BracketList, index: number, { levels, replaced }: Removal): readonly Splice[] {
  const isEmptied = list.members.length === 1 && !hasComments(text, list, 'hash');
  if (levels === 0 && replaced !== undefined && isEmptied) return [{ ...list, text: replaced }];
  return removeMember(text, list, index, 'hash');
}

function isAlone(text: string, { inline }: TomlField): boolean {
  return inline !== undefined && inline.body.length === 1 && !hasComments(text, listOf(inline), 'hash');
}
