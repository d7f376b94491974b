import { isRecord, isSameJson } from '@x/internal/json';
import { markDropped } from '@x/internal/secrets';
import { diffChars } from 'diff/lib/diff/character.js';

export type RedactData = (value: unknown) => unknown;

/** Limit in characters; more hidden text is not checked and counts as inexact. */
const MAX_HIDDEN = 4_000;
/** Characters that `redact` receives per field; beyond that it counts as inexact. */
const MAX_CHARACTERS = 200_000;
/** The same for one listing: a server must not block the app. */
const MAX_CHARACTERS_OF_LISTING = 500_000;
/** Context around hidden text, by which encodings are recognized. */
const MARGIN = 40;
/** Characters of a mask that hidden ones may equal. */
const LONGEST_MASK = 16;

interface Range {
  readonly start: number;
  end: number;
}

export class RedactionBudget {
  left = MAX_CHARACTERS_OF_LISTING;
}

/**
 * True if only secrets are hidden. Otherwise hidden text could change without a change of the redaction.
 *
 * - Without the characters that a reading of a secret drops, `redact` hides the same.
 * - `redact` shows a text in which any hidden character is changed or missing.
 *
 * @param after - Result of `redact` for `before`, with as many entries.
 * @param budget - Of the field's listing. Fields beyond it count as inexact.
 */
export function hidesSecretsAlone(
  redact: RedactData,
  before: unknown,
  after: unknown,
  budget = new RedactionBudget(),
): boolean {
  let left = Math.min(MAX_CHARACTERS, budget.left);
  const budgeted = (value: unknown): unknown => {
    const length = Array.isArray(value) || typeof value === 'string' ? value.length : 0;
    left -= length;
    budget.left -= length;
    return left < 0 ? undefined : redact(value);
  };
  try {
    return isExact(budgeted, before, after) && left >= 0;
  } catch {
    return false; // the redactor failed for a part
  }
}

function isExact(redact: RedactData, before: unknown, after: unknown): boolean {
  if (typeof before === 'string') return before === after || isExactText(redact, before, after);
  if (Array.isArray(before)) {
    if (!Array.isArray(after)) return isExactList(redact, before, after);
    return before.length === after.length && before.every((item, index) => isExact(redact, item, after[index]));
  }
  if (!isRecord(before)) return before === after;
  if (!isRecord(after)) return false;
  return Object.entries(before).every(([key, value]) => {
    if (Object.hasOwn(after, key)) return isExact(redact, value, after[key]);
    const shown = redact(key);
    return (
      typeof shown === 'string' &&
      Object.hasOwn(after, shown) &&
      isExactText(redact, key, shown) &&
      isExact(redact, value, after[shown])
    );
  });
}

function isExactText(redact: RedactData, text: string, shown: unknown): boolean {
  if (typeof shown !== 'string' || redact(text) !== shown) return false;
  if (redact(markDropped(text)) !== markDropped(shown)) return false;
  return hiddenRanges(text, shown)?.every((range) => isNeeded(redact, text, range)) ?? false;
}

/**
 * Every part of a text that may be hidden in `shown`. A difference can have several alignments: a hidden character may
 * equal a visible one near it, or one of the mask. So the characters beside a difference count as hidden, and further
 * ones as long as the difference has them, too. To check a visible character does no harm: it is always needed.
 */
function hiddenRanges(text: string, shown: string): readonly Range[] | undefined {
  const parts = diffChars(text, shown, { maxEditLength: MAX_HIDDEN });
  if (parts === undefined) return undefined;
  const ambiguous = new Set(parts.flatMap(({ value, added, removed }) => (added || removed ? value.split('') : [])));
  const ranges: Range[] = [];
  let at = 0;
  for (const { value, added, removed } of parts) {
    const end = added ? at : at + value.length;
    if (added || removed) {
      let [first, last] = [at, end];
      while (first > 0 && (at - first < LONGEST_MASK || ambiguous.has(text.charAt(first - 1)))) first -= 1;
      while (last < text.length && (last - end < LONGEST_MASK || ambiguous.has(text.charAt(last)))) last += 1;
      const before = ranges.at(-1);
      if (before !== undefined && first <= before.end) before.end = last;
      else ranges.push({ start: first, end: last });
    }
    at = end;
  }
  return ranges;
}

/** True if each character of a hidden part of a text is needed. */
function isNeeded(redact: RedactData, text: string, { start, end }: Range): boolean {
  const near = text.slice(Math.max(0, start - MARGIN), end + MARGIN);
  const isNear = redact(near) !== near; // otherwise `redact` depends on distant text
  const offset = isNear ? Math.max(0, start - MARGIN) : 0;
  const around = isNear ? near : text;
  const shown = redact(around);
  let at = start - offset;
  return Array.from(text.slice(start, end)).every((character) => {
    const [before, rest] = [around.slice(0, at), around.slice(at + character.length)];
    at += character.length;
    const hides = (instead: string) => redact(before + instead + rest) === shown;
    if (othersFor(character).some(hides)) return false;
    // The last character of base64 and the backslash of an escape may be missing.
    const isEscape = character === '\\' && /^["\\/]/.test(rest);
    return isEscape || !hides('') || !hides(character + character);
  });
}

/** Characters of the same kind, which redactors by shape treat alike. */
function othersFor(character: string): readonly string[] {
  if (/\d/.test(character)) return [character === '7' ? '4' : '7'];
  if (/[a-z]/.test(character)) return [character === 'k' ? 'w' : 'k'];
  if (/[A-Z]/.test(character)) return [character === 'K' ? 'W' : 'K'];
  if (/[ !,-]/.test(character)) return [':']; // between the bytes of a dump
  return [character === ':' ? '-' : '!'];
}

/** A list of numbers that is hidden as bytes of a secret. */
function isExactList(redact: RedactData, list: readonly unknown[], shown: unknown): boolean {
  if (list.length > MAX_HIDDEN || !list.every(Number.isInteger)) return false;
  return list.every((item, index) => {
    const others = [[], [item === 7 ? 4 : 7]].map((instead) => redact(list.toSpliced(index, 1, ...instead)));
    return !others.some((other) => isSameJson(other, shown));
  });
}
