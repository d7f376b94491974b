import type { LocatedChange } from '../dialect.js';
import { unsupported } from '../document.js';
import { memoizePer } from './memoize.js';
import {
  deletion,
  indentAt,
  indentUnit,
  insertion,
  isBlank,
  isFirstOnLine,
  lineContentEnd,
  lineEndOf,
  type Span,
  type Splice,
} from './text-edits.js';

/** List in brackets, with commas: a JSON object or array, a YAML flow collection, a TOML inline table. */
export interface BracketList extends Span {
  readonly members: readonly Span[];
}

/** `slashes`: line and block comments of JSONC. `hash`: comments that start with `#`. */
type CommentSyntax = 'slashes' | 'hash';

/** Layout of a new member. `indent` belongs to its first line; `unit` is one further step. */
export type MemberLayout =
  | { readonly type: 'lines'; readonly indent: string; readonly unit: string }
  | { readonly type: 'inline' };

interface Gap {
  readonly comma: number | undefined;
  readonly comments: readonly (Span & { readonly endsLine: boolean })[];
}

function gapBetween(text: string, start: number, end: number, syntax: CommentSyntax): Gap {
  const pattern = syntax === 'slashes' ? /\s+|(,)|(\/\/[^\r\n]*)|(\/\*[\s\S]*?\*\/)/y : /\s+|(,)|(#[^\r\n]*)/y;
  const comments: (Span & { endsLine: boolean })[] = [];
  let comma: number | undefined;
  for (let position = start; position < end; position = pattern.lastIndex) {
    pattern.lastIndex = position;
    const token = pattern.exec(text);
    if (token === null || (token[1] !== undefined && comma !== undefined)) {
      throw unsupported('The text between two values here is not supported', position);
    }
    if (token[1] !== undefined) comma = position;
    else if (!isBlank(token[0])) {
      if (token[2] !== undefined && /^\r(?!\n)/.test(text.slice(pattern.lastIndex, pattern.lastIndex + 2))) {
        throw unsupported(
          'A line ends here with CR alone, which is not supported; save the file with LF or CRLF line ends',
          position,
        );
      }
      comments.push({ start: position, end: pattern.lastIndex, endsLine: token[2] !== undefined });
    }
  }
  return { comma, comments };
}

export function hasComments(text: string, list: BracketList, syntax: CommentSyntax): boolean {
  const edges = [list.start + 1, ...list.members.flatMap(({ start, end }) => [start, end]), list.end - 1];
  for (let index = 0; index < edges.length; index += 2) {
    if (gapBetween(text, edges[index] ?? 0, edges[index + 1] ?? 0, syntax).comments.length > 0) return true;
  }
  return false;
}

/**
 * Adds a member after the last one, on a new line if the last one starts its line. Keeps a trailing comma but never
 * introduces one. The list must have a member or a comment.
 */
export function appendMember(
  text: string,
  list: BracketList,
  syntax: CommentSyntax,
  render: (layout: MemberLayout) => string,
): Pick<LocatedChange, 'splices' | 'behind'> {
  const { comma, offset, lead, layout, trail } = tailOf(list, text, syntax);
  const member = insertion(offset, lead + render(layout) + trail);
  if (comma !== undefined) return { splices: [insertion(comma, ','), member] };
  const last = list.members.at(-1);
  return { splices: [member], behind: last && { list, end: last.end } };
}

interface Tail {
  /** Position of the comma, if it differs from that of the member. */
  readonly comma?: number;
  readonly offset: number;
  readonly lead: string;
  readonly layout: MemberLayout;
  readonly trail: '' | ',';
}

const tailOf = memoizePer((list: BracketList, text: string, syntax: CommentSyntax): Tail => {
  const last = list.members.at(-1);
  const gap = gapBetween(text, last?.end ?? list.start + 1, list.end - 1, syntax);
  if (last === undefined) return tailBehindComment(text, list, gap);

  let offset = gap.comma === undefined ? last.end : gap.comma + 1;
  let mustBreak = false;
  for (const comment of gap.comments) {
    if (comment.start < offset || text.slice(offset, comment.start).includes('\n')) continue;
    offset = comment.end;
    mustBreak = comment.endsLine;
  }
  const isOnOwnLine = mustBreak || isFirstOnLine(text, last.start);
  const tail: Omit<Tail, 'offset' | 'trail'> = isOnOwnLine
    ? ownLine(text, indentAt(text, last.start), indentAt(text, list.start))
    : { lead: separatorBefore(text, list), layout: { type: 'inline' } };

  if (gap.comma !== undefined) return { ...tail, offset, trail: ',' };
  if (offset === last.end) return { ...tail, offset, lead: `,${tail.lead}`, trail: '' };
  return { ...tail, comma: last.end, offset, trail: '' };
});

function tailBehindComment(text: string, list: BracketList, { comments }: Gap): Tail {
  const comment = comments.at(-1);
  if (comment === undefined) throw new RangeError('An empty list is replaced, not appended to');
  const offset = comment.end;
  if (isFirstOnLine(text, comment.start)) {
    return { ...ownLine(text, indentAt(text, comment.start), indentAt(text, list.start)), offset, trail: '' };
  }
  if (!comment.endsLine) return { offset, lead: ' ', layout: { type: 'inline' }, trail: '' };
  const outer = indentAt(text, list.start);
  return { ...ownLine(text, outer + indentUnit(text), outer), offset, trail: '' };
}

function ownLine(text: string, indent: string, outer: string): Pick<Tail, 'lead' | 'layout'> {
  return {
    lead: lineEndOf(text) + indent,
    layout: { type: 'lines', indent, unit: indentUnit(text, outer, indent) },
  };
}

/** Space between the last two members, else before the first one. */
function separatorBefore(text: string, list: BracketList): string {
  const [previous, last] = list.members.length > 1 ? list.members.slice(-2) : [];
  const between = previous && last ? text.slice(previous.end, last.start) : undefined;
  if (between !== undefined && /^,[ \t]*$/.test(between)) return between.slice(1);
  return text[list.start + 1] === ' ' || !isMinified(text, list) ? ' ' : '';
}

/** True if no white space follows a comma, colon or equals sign in the first 2,000 characters. */
function isMinified(text: string, { start, end }: Span): boolean {
  return !/[,:=]\s/.test(text.slice(start, Math.min(end, start + 2_000)));
}

/** Spacing of a list on one line: `gap` after commas and colons, `pad` inside the brackets. */
export function inlineSpacing(text: string, list: Span): { readonly gap: '' | ' '; readonly pad: '' | ' ' } {
  return { gap: isMinified(text, list) ? '' : ' ', pad: text[list.start + 1] === ' ' ? ' ' : '' };
}

/** Removes a member, its comma and the white space before it. Comments stay. */
export function removeMember(text: string, list: BracketList, index: number, syntax: CommentSyntax): readonly Splice[] {
  const member = list.members[index];
  if (member === undefined) throw new RangeError(`The list has no member ${index}`);
  const next = list.members[index + 1];
  const before = gapBetween(text, list.members[index - 1]?.end ?? list.start + 1, member.start, syntax);
  const after = gapBetween(text, member.end, next?.start ?? list.end - 1, syntax);

  const isCommaClose = after.comma !== undefined && isBlank(text.slice(member.end, after.comma));
  const tail = isCommaClose && after.comma !== undefined ? after.comma + 1 : member.end;
  if (list.members.length === 1 && before.comments.length + after.comments.length === 0) {
    return [deletion(list.start + 1, list.end - 1)];
  }
  const extent = extentOf(text, list, member, tail, { before, after, next });
  const splices = [deletion(extent.start, extent.end)];
  if (after.comma !== undefined) {
    if (!isCommaClose) splices.push(deletion(after.comma, after.comma + 1));
  } else if (before.comma !== undefined) {
    splices.push(deletion(before.comma, before.comma + 1));
  }
  return merged(splices);
}

function extentOf(
  text: string,
  list: BracketList,
  member: Span,
  tail: number,
  { before, after, next }: { before: Gap; after: Gap; next: Span | undefined },
): Span {
  const comment = after.comments.find(({ start }) => start >= tail);
  const isCommentBeside = comment !== undefined && !text.slice(tail, comment.start).includes('\n');
  if (isCommentBeside && comment !== undefined) return { start: member.start, end: comment.start };

  const isNextBeside = next !== undefined && !text.slice(tail, next.start).includes('\n');
  const isFirst = before.comments.length === 0 && before.comma === undefined;
  if (isNextBeside && next && after.comments.length === 0 && (isFirst || isFirstOnLine(text, member.start))) {
    return { start: member.start, end: next.start };
  }
  const token = Math.max(list.start + 1, (before.comma ?? -1) + 1, before.comments.at(-1)?.end ?? 0);
  const followsLineComment = before.comments.some(({ end, endsLine }) => endsLine && end === token);
  const isEndOfLine = !followsLineComment || isBlank(text.slice(tail, lineContentEnd(text, tail)));
  return { start: isEndOfLine ? token : member.start, end: tail };
}

/** Joins two deletions that touch. */
function merged(splices: readonly Splice[]): readonly Splice[] {
  const [first, second] = [...splices].sort((a, b) => a.start - b.start);
  if (first === undefined || second === undefined || second.start > first.end) return splices;
  return [deletion(first.start, Math.max(first.end, second.end))];
}
