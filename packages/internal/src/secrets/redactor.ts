import { isRecord } from '../json/json-values.js';
import type { TextRange } from '../text.js';
import { FormIndex, joined } from './form-index.js';
import { withRedactedKeys } from './redacted-keys.js';

/** Hides known values. Neither printing nor copying the redactor reveals one. */
export interface Redactor {
  /** The text with `***` for every known value, including encoded and escaped ones. */
  redact(text: string): string;
  /** The same with one star per character, so that lines and columns stay in place. */
  star(text: string): string;
  /** The JSON form of `data`, with every text and key redacted. Equal keys of one object are numbered. */
  redactData(data: unknown): unknown;
  /** A redactor that also knows these values. */
  with(values: Iterable<string>): Redactor;
}

/** Hides values of four characters or more, their base64 and URL-encoded forms, and their lines. */
export function createRedactor(values?: Iterable<string>): Redactor {
  return redactorOf({ values });
}

/** Also hides places of secrets that cannot be found by value. */
export function redactorOf({ values, places = new Map() }: HiddenParts): Redactor {
  return new ValueRedactor(new Set(values), places);
}

/** A redactor that hides all that any of `redactors` hides, also where their secrets overlap. */
export function combineRedactors(redactors: readonly [Redactor, ...Redactor[]]): Redactor {
  const [first, ...others] = redactors;
  if (others.length === 0) return first;
  const rangesIn = (text: string): readonly TextRange[] =>
    joined(redactors.flatMap((redactor) => starredRanges(text, redactor.star(text))));
  const redact = (text: string): string => replaced(text, rangesIn(text), () => mask);
  return {
    redact,
    star: (text) => replaced(text, rangesIn(text), starsFor),
    redactData: (data) => redactDataBy(redact, data),
    with: (values) => combineRedactors([first.with(values), ...others]),
  };
}

/** Runs of stars that replace other characters. Line ends within a secret are no stars. */
function starredRanges(text: string, starred: string): readonly TextRange[] {
  if (starred === text) return [];
  return Array.from(starred.matchAll(/\*+(?:[\r\n]+\*+)*/g), ({ 0: stars, index }) => ({
    start: index,
    end: index + stars.length,
  })).filter(({ start, end }) => text.slice(start, end) !== starred.slice(start, end));
}

interface HiddenParts {
  readonly values?: Iterable<string> | undefined;
  readonly places?: ReadonlyMap<string, readonly TextRange[]>;
}

const mask = '***';

class ValueRedactor implements Redactor {
  readonly #values: ReadonlySet<string>;
  readonly #places: ReadonlyMap<string, readonly TextRange[]>;
  #forms: FormIndex | undefined;
  /** Cache of the last text. */
  #starred: { readonly text: string; readonly starred: string } | undefined;

  constructor(values: ReadonlySet<string>, places: ReadonlyMap<string, readonly TextRange[]>) {
    this.#values = values;
    this.#places = places;
  }

  redact(text: string): string {
    return replaced(text, this.#rangesIn(text), () => mask);
  }

  star(text: string): string {
    if (this.#starred?.text !== text) {
      this.#starred = { text, starred: replaced(text, this.#rangesIn(text), starsFor) };
    }
    return this.#starred.starred;
  }

  redactData(data: unknown): unknown {
    return redactDataBy((text) => this.redact(text), data);
  }

  with(values: Iterable<string>): Redactor {
    return new ValueRedactor(new Set([...this.#values, ...values]), this.#places);
  }

  #rangesIn(text: string): readonly TextRange[] {
    this.#forms ??= new FormIndex(this.#values);
    const ranges = this.#forms.rangesIn(text);
    const places = this.#places.get(text);
    return places === undefined ? ranges : joined([...ranges, ...places]);
  }
}

function redactDataBy(redact: (text: string) => string, data: unknown): unknown {
  const json: string | undefined = JSON.stringify(data, (_key, value: unknown) => {
    if (typeof value === 'string') return redact(value);
    if (!isBytes(value)) return value;
    const bytes = JSON.stringify(Array.from(value));
    return redact(bytes) === bytes ? value : mask;
  });
  if (json === undefined) return undefined;
  // A reviver visits inner objects first: equal keys are numbered by already redacted values.
  return JSON.parse(json, (_key, value: unknown) => (isRecord(value) ? withRedactedKeys(value, redact) : value));
}

function isBytes(value: unknown): value is Uint8Array | readonly number[] {
  if (value instanceof Uint8Array) return true;
  return Array.isArray(value) && value.length > 0 && value.every((item) => Number.isInteger(item));
}

function starsFor(hidden: string): string {
  return hidden.replace(/[^\r\n]/g, '*');
}

/** @param ranges - In order, without overlaps. */
function replaced(text: string, ranges: readonly TextRange[], maskOf: (hidden: string) => string): string {
  let result = '';
  let end = 0;
  for (const range of ranges) {
    result += text.slice(end, range.start) + maskOf(text.slice(range.start, range.end));
    end = range.end;
  }
  return result + text.slice(end);
}
