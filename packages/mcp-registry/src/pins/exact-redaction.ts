import { isRecord, isSameJson } from '@x/internal/json';
import { markDropped } from '@x/internal/secrets';
import { diffChars } from 'diff';

/** Removes secrets from plain data. */
export type RedactData = (value: unknown) => unknown;

/** Longer hidden text is not checked, and counts as more than a secret. */
const MAX_HIDDEN = 4_000;
/** Characters that `redact` receives for one field. A server that repeats a secret more often has no exact redaction. */
const MAX_CHARACTERS = 200_000;
/**
 * The same for all fields of one listing of a server: one that repeats a secret in every tool must not block the app.
 */
const MAX_CHARACTERS_OF_LISTING = 500_000;
/** Context on both sides of hidden text in the check: encodings are recognized by it. */
const MARGIN = 40;

/** Remaining budget of a server's listing. */
export class RedactionBudget {
  left = MAX_CHARACTERS_OF_LISTING;
}

/**
 * True if the hidden text of a field consists of secrets only. Text inside of a secret, or text that `redact` hides
 * for its shape or place, could be replaced by any other text without a change in the redaction.
 *
 * - Without the characters that a reading of a secret drops, `redact` hides the same.
 * - Each hidden character is needed: `redact` shows a text in which it is changed or missing.
 *
 * @param after - Result of `redact` for `before`, with as many entries.
 * @param budget - Of the listing that the field belongs to. A field beyond it counts as one that hides more.
 */
export function hidesSecretsAlone(
  redact: RedactData,
  before: unknown,
  after: unknown,
  budget = new RedactionBudget(),
): boolean {
  let left = Math.min(MAX_CHARACTERS, budget.left);
  const ask = (value: unknown): unknown => {
    const length = Array.isArray(value) || typeof value === 'string' ? value.length : 0;
    left -= length;
    budget.left -= length;
    return left < 0 ? undefined : redact(value);
  };
  try {
    return isExact(ask, before, after) && left >= 0;
  } catch {
    return false; // a redactor that fails for a part
  }
}

function isExact(ask: RedactData, before: unknown, after: unknown): boolean {
  if (typeof before === 'string') return before === after || isExactText(ask, before, after);
  if (Array.isArray(before)) {
    if (!Array.isArray(after)) return isExactList(ask, before, after);
    return before.length === after.length && before.every((item, index) => isExact(ask, item, after[index]));
  }
  if (!isRecord(before)) return before === after;
  if (!isRecord(after)) return false;
  return Object.entries(before).every(([key, value]) => {
    if (Object.hasOwn(after, key)) return isExact(ask, value, after[key]);
    const shown = ask(key);
    return (
      typeof shown === 'string' &&
      Object.hasOwn(after, shown) &&
      isExactText(ask, key, shown) &&
      isExact(ask, value, after[shown])
    );
  });
}

function isExactText(ask: RedactData, text: string, shown: unknown): boolean {
  if (typeof shown !== 'string' || ask(text) !== shown) return false;
  if (ask(markDropped(text)) !== markDropped(shown)) return false;
  const parts = diffChars(text, shown, { maxEditLength: MAX_HIDDEN });
  let at = 0;
  return (
    parts?.every(({ value, added, removed }) => {
      const start = at;
      if (!added) at += value.length;
      return removed !== true || isNeeded(ask, text, { start, end: at });
    }) ?? false
  );
}

/** True if each character of a hidden part of a text is needed. */
function isNeeded(
  ask: RedactData,
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): boolean {
  const near = text.slice(Math.max(0, start - MARGIN), end + MARGIN);
  const isNear = ask(near) !== near; // or `redact` depends on text further away
  const offset = isNear ? Math.max(0, start - MARGIN) : 0;
  const around = isNear ? near : text;
  const shown = ask(around);
  let at = start - offset;
  return Array.from(text.slice(start, end)).every((character) => {
    const [before, rest] = [around.slice(0, at), around.slice(at + character.length)];
    at += character.length;
    const hides = (instead: string) => ask(before + instead + rest) === shown;
    if (othersFor(character).some(hides)) return false;
    // The last character of base64 may be missing, and the backslash of an escape.
    const isEscape = character === '\\' && /^["\\/]/.test(rest);
    return isEscape || !hides('') || !hides(character + character);
  });
}

/** Of the same kind, so that a redactor that matches kinds of characters treats it alike. */
function othersFor(character: string): readonly string[] {
  if (/\d/.test(character)) return [character === '7' ? '4' : '7'];
  if (/[a-z]/.test(character)) return [character === 'k' ? 'w' : 'k'];
  if (/[A-Z]/.test(character)) return [character === 'K' ? 'W' : 'K'];
  if (/[ !,-]/.test(character)) return [':']; // as between the bytes of a dump
  return [character === ':' ? '-' : '!'];
}

/** A list of numbers that is hidden as the bytes of a secret. */
function isExactList(ask: RedactData, list: readonly unknown[], shown: unknown): boolean {
  if (list.length > MAX_HIDDEN || !list.every(Number.isInteger)) return false;
  return list.every((item, index) => {
    const others = [[], [item === 7 ? 4 : 7]].map((instead) => ask(list.toSpliced(index, 1, ...instead)));
    return !others.some((other) => isSameJson(other, shown));
  });
}
