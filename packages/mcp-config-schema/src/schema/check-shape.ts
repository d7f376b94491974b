import { isRecord } from '@x/internal/json';
import { nearestName } from '@x/internal/names';
import { quoted } from '@x/internal/text';
import type { z } from 'zod';
import type { ConfigPath } from '../issues.js';
import type { SourceText } from '../source/source-text.js';
import { faultOf } from './entry-rules.js';
import { expectedOf } from './fields.js';
import { knownKeys, validParts } from './schema-parts.js';
import { describeValue, hintForValue, nameOfPath, valueAt } from './values.js';

/**
 * Reports all faults and then returns `undefined`.
 *
 * @param at - Path of the value in the text.
 */
export function checkShape<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  source: SourceText,
  at: ConfigPath = [],
): z.output<Schema> | undefined {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const found = result.error.issues;
  const misspelt = reportUnknownKeys(found, schema, source, at);
  for (const issue of found) {
    if (issue.code !== 'unrecognized_keys' && !missingKeys(issue, value).some((key) => misspelt.has(key))) {
      reportIssue(issue, value, source, at);
    }
  }
  return undefined;
}

/** Entries of a map, validated separately: an invalid entry or key does not hide other faults. */
export interface Entries<Entry> {
  readonly valid: ReadonlyMap<string, Entry>;
  /** Also the valid parts of invalid entries, for further checks only. */
  readonly parts: ReadonlyMap<string, Entry>;
}

/** One by one, because zod fails for all faults of a large text together. */
export function checkEntries<Schema extends z.ZodType>(
  schema: Schema,
  entries: unknown,
  source: SourceText,
  at: ConfigPath,
): Entries<z.output<Schema>> {
  const valid = new Map<string, z.output<Schema>>();
  const parts = new Map<string, z.output<Schema>>();
  for (const [name, entry] of isRecord(entries) ? Object.entries(entries) : []) {
    const path = [...at, name];
    if (hasMoreThan(maxEntryValues, entry)) {
      reportTooLarge(path, source);
      continue;
    }
    const data = checkShape(schema, entry, source, path);
    if (data !== undefined) valid.set(name, data);
    const usable = data ?? validParts(schema, entry);
    if (usable !== undefined) parts.set(name, usable);
  }
  return { valid, parts };
}

/** Values of one entry, so that no entry takes long to validate. */
const maxEntryValues = 20_000;

function hasMoreThan(most: number, data: unknown): boolean {
  let values = 0;
  const isTooMuch = (value: unknown): boolean => {
    if (++values > most) return true;
    if (typeof value !== 'object' || value === null) return false;
    return Array.isArray(value) ? value.some(isTooMuch) : Object.values(value).some(isTooMuch);
  };
  return isTooMuch(data);
}

function reportTooLarge(path: ConfigPath, source: SourceText): void {
  const limit = maxEntryValues;
  const message = `${nameOfPath(path)} holds more than ${limit} values`;
  source.report({ code: 'too-large', severity: 'error', message, limit, unit: 'parts' }, path, { part: 'key' });
}

/** Returns the keys that were probably meant, which are then not reported as missing. */
function reportUnknownKeys(
  issues: readonly z.core.$ZodIssue[],
  schema: z.ZodType,
  source: SourceText,
  at: ConfigPath,
): Set<string> {
  const misspelt = new Set<string>();
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const inner = innerPath(issue);
    const path = [...at, ...inner];
    const known = knownKeys(schema, inner);
    for (const key of issue.keys) {
      const didYouMean = nearestName(key, known);
      if (didYouMean !== undefined) misspelt.add(JSON.stringify([...inner, didYouMean]));
      reportUnknownKey(source, [...path, key], { known, didYouMean });
    }
  }
  return misspelt;
}

/** Reports keys of a map with other keys that are probably known ones, misspelled. */
export function reportMisspeltKeys(schema: z.ZodType, source: SourceText, path: ConfigPath): void {
  const written = source.keys(path);
  const known = knownKeys(schema, []);
  const missing = known.filter((key) => !written.includes(key));
  for (const key of written) {
    const didYouMean = known.includes(key) ? undefined : nearestName(key, missing);
    if (didYouMean !== undefined) reportUnknownKey(source, [...path, key], { known, didYouMean });
  }
}

function reportUnknownKey(source: SourceText, path: ConfigPath, alternatives: Alternatives): void {
  const key = String(path.at(-1));
  const message = `${quoted(key)} is not a key of ${nameOfPath(path.slice(0, -1))}`;
  const hint = hintFor(key, alternatives);
  const { didYouMean } = alternatives;
  source.report({ code: 'unknown-key', severity: 'error', message, key, didYouMean, hint }, path, { part: 'key' });
}

interface Alternatives {
  readonly known: readonly string[];
  readonly didYouMean: string | undefined;
}

function hintFor(key: string, { known, didYouMean }: Alternatives): string {
  if (key === 'id' && known.includes('command')) return 'leave it out: the name of a server is its key in this file';
  if (didYouMean !== undefined) return `did you mean ${quoted(didYouMean)}?`;
  // Entries of editors have these keys; pasted entries only need to drop the line.
  if (['type', 'transport'].includes(key) && known.includes('command') && known.includes('url')) {
    return 'leave it out: a server with a "url" is reached over HTTP, one with a "command" runs here';
  }
  return `known keys: ${known.join(', ')}`;
}

/** Paths of the missing keys, as JSON texts. Adding any one of them resolves the issue. */
function missingKeys(issue: z.core.$ZodIssue, data: unknown): readonly string[] {
  const path = innerPath(issue);
  const fault = faultOf(issue);
  if (fault?.code === 'missing-key') return ['command', 'url'].map((key) => JSON.stringify([...path, key]));
  if (fault?.code === 'health-check-without-tool') return [JSON.stringify([...path, 'tool'])];
  return fault === undefined && valueAt(data, path) === undefined ? [JSON.stringify(path)] : [];
}

function innerPath(issue: z.core.$ZodIssue): ConfigPath {
  return issue.path.filter((step) => typeof step !== 'symbol');
}

function reportIssue(issue: z.core.$ZodIssue, data: unknown, source: SourceText, at: ConfigPath): void {
  const inner = innerPath(issue);
  const path = [...at, ...inner];
  const fault = faultOf(issue);
  if (fault !== undefined) {
    source.report(fault, path, { part: 'key' });
  } else if (issue.code === 'invalid_key') {
    const expected = expectedOf(issue.issues[0]?.message ?? issue.message);
    const message = `${quoted(String(path.at(-1) ?? ''))} must be ${expected}`;
    source.report({ code: 'invalid-value', severity: 'error', message, expected }, path, { part: 'key' });
  } else {
    reportWrongValue(path, expectedOf(issue.message), valueAt(data, inner), source);
  }
}

function reportWrongValue(path: ConfigPath, expected: string, value: unknown, source: SourceText): void {
  const key = path.at(-1);
  if (value === undefined && typeof key === 'string') {
    const owner = path.length === 1 ? 'The file' : nameOfPath(path.slice(0, -1));
    const message = `${owner} needs ${quoted(key)}: ${expected}`;
    source.report({ code: 'missing-key', severity: 'error', message, key }, path.slice(0, -1), { part: 'key' });
    return;
  }
  const message = `${nameOfPath(path)} must be ${expected}, got ${describeValue(value, path)}`;
  const hint = hintForValue(value, expected);
  source.report({ code: 'invalid-value', severity: 'error', message, expected, hint }, path);
}
