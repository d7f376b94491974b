import { nextTurn } from '@x/internal/async';
import { RE2JS } from 're2js';
import { compilePattern } from '../../search/compile-pattern.js';
import { betweenCharacters, estimateTokens } from './token-estimate.js';

export interface FindOptions {
  readonly start: number;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

export interface Found {
  /** Places and what is there, at most one for each line. */
  readonly excerpts: readonly string[];
  /** Where to go on, if the text has not ended. */
  readonly next: number | undefined;
  readonly isOutOfTime?: true;
}

/** Steps of the engine in one search, which takes at most about 0.1 seconds. */
const MAX_STEPS = 400_000;
const LONGEST_WINDOW = 8_192;
const BUDGET_MS = 1_000;
const MAX_TURN_MS = 16;

/**
 * Searches in linear time, in each line by itself. Ends after a second of its own time.
 *
 * @throws {RegistryError} `invalid-pattern`.
 */
export async function findInText(
  text: string,
  pattern: string,
  { start, maxTokens, signal }: FindOptions,
): Promise<Found> {
  const expression = compilePattern(pattern, { advice: 'leave "pattern" out to read', flags: RE2JS.MULTILINE });
  const sizes = windowSizes(expression.programSize());
  const excerpts: string[] = [];
  let tokens = 0;
  let usedMs = 0;
  let turnStart = performance.now();
  for (let at: number | undefined = start; at !== undefined; ) {
    const { match, next } = search(expression, windowAt(text, at, sizes));
    if (match !== undefined) {
      const excerpt = `${match}: ${excerptAt(text, match)}`;
      tokens += estimateTokens(excerpt) + 1;
      if (tokens > maxTokens && excerpts.length > 0) return { excerpts, next: match };
      excerpts.push(excerpt);
    }
    at = next;
    const turnMs = performance.now() - turnStart;
    if (usedMs + turnMs > BUDGET_MS && at !== undefined) return { excerpts, next: at, isOutOfTime: true };
    if (turnMs < MAX_TURN_MS) continue;
    usedMs += turnMs;
    await nextTurn();
    signal.throwIfAborted();
    turnStart = performance.now();
  }
  return { excerpts, next: undefined };
}

interface WindowSizes {
  readonly length: number;
  /** A match that crosses the end of a window is found up to this length. */
  readonly overlap: number;
}

/** A literal has as many instructions as characters, so it is found anywhere. */
function windowSizes(programSize: number): WindowSizes {
  const length = Math.min(LONGEST_WINDOW, Math.ceil(MAX_STEPS / programSize));
  const overlap = length === LONGEST_WINDOW ? 1_000 : Math.max(programSize, 256);
  return { length: length + overlap, overlap };
}

interface Window {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Matches that begin from here on are the next window's. */
  readonly until: number;
  readonly isLineEnd: boolean;
}

/** A line from `start` to its end, or the beginning of it. */
function windowAt(text: string, start: number, { length, overlap }: WindowSizes): Window {
  const piece = text.slice(start, start + length + 1);
  const newline = piece.indexOf('\n');
  const isLineEnd = newline >= 0 || piece.length <= length;
  const end = newline >= 0 ? start + newline : Math.min(text.length, start + length);
  return { text, start, end, until: isLineEnd ? end + 1 : end - overlap, isLineEnd };
}

const BEFORE = 40;
const LONGEST_EXCERPT = 200;

interface Step {
  readonly match?: number;
  /** Where to go on. `undefined` at the end of the text. */
  readonly next: number | undefined;
}

function search(expression: RE2JS, { text, start, end, until, isLineEnd }: Window): Step {
  const before = start > 0 && text[start - 1] !== '\n' ? 1 : 0; // so that ^ and \b see what is before
  const matcher = expression.matcher(text.slice(start - before, end));
  const after = isLineEnd ? (end < text.length - 1 ? end + 1 : undefined) : until;
  if (!matcher.find(before)) return { next: after };
  const match = start - before + matcher.start();
  if (match >= until || match >= text.length) return { next: after };
  const { end: shownTo } = excerptRange(text, match);
  const next = Math.max(shownTo, start - before + matcher.end(), match + 1);
  return { match, next: isLineEnd && next >= end ? after : next };
}

function excerptAt(text: string, match: number): string {
  const { start, end } = excerptRange(text, match);
  return text.slice(start, end);
}

function excerptRange(text: string, match: number): { readonly start: number; readonly end: number } {
  const lineStart = match === 0 ? 0 : text.lastIndexOf('\n', match - 1) + 1;
  const newline = text.indexOf('\n', match);
  const lineEnd = newline < 0 ? text.length : newline;
  const start = betweenCharacters(text, Math.max(lineStart, match - BEFORE));
  return { start, end: betweenCharacters(text, Math.min(lineEnd, start + LONGEST_EXCERPT)) };
}
