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
}

const WINDOW = 8_192;
/** A match that crosses a window is found up to this length. */
const OVERLAP = 1_000;
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
  const excerpts: string[] = [];
  let tokens = 0;
  let usedMs = 0;
  let turnStart = performance.now();
  let at = start;
  while (at < text.length) {
    const window = windowAt(text, at);
    for (const match of matchesIn(expression, text, window)) {
      const excerpt = `${match}: ${excerptAt(text, match)}`;
      tokens += estimateTokens(excerpt) + 1;
      if (tokens > maxTokens && excerpts.length > 0) return { excerpts, next: match };
      excerpts.push(excerpt);
    }
    at = window.next;
    const turnMs = performance.now() - turnStart;
    if (usedMs + turnMs > BUDGET_MS && at < text.length) return { excerpts, next: at };
    if (turnMs < MAX_TURN_MS) continue;
    usedMs += turnMs;
    await nextTurn();
    signal.throwIfAborted();
    turnStart = performance.now();
  }
  return { excerpts, next: undefined };
}

interface Window {
  readonly start: number;
  readonly end: number;
  /** Matches that begin from here on are the next window's. */
  readonly next: number;
}

function windowAt(text: string, start: number): Window {
  const end = start + WINDOW;
  if (end >= text.length) return { start, end: text.length, next: text.length };
  const lineEnd = text.lastIndexOf('\n', end) + 1;
  if (lineEnd > start) return { start, end: lineEnd, next: lineEnd };
  return { start, end, next: end - OVERLAP };
}

const BEFORE = 40;
const LONGEST_EXCERPT = 200;

function* matchesIn(expression: RE2JS, text: string, { start, end, next }: Window): Generator<number> {
  const matcher = expression.matcher(text.slice(start, end));
  let from = 0;
  while (from < end - start && matcher.find(from)) {
    const match = start + matcher.start();
    if (match >= next && next < text.length) return;
    if (match >= text.length) return;
    yield match;
    const { end: shownTo } = excerptRange(text, match);
    from = Math.max(shownTo, start + matcher.end(), match + 1) - start;
  }
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
