import { formsOf } from './secret-forms.js';

/** Knows values that must not be printed. Holds them out of reach: neither printing nor copying it shows any. */
export interface Redactor {
  /** The text with `***` for every known value in it, also where it is encoded or escaped. */
  redact(text: string): string;
  /** The same with one star for each character, so that columns stay where they are. */
  star(text: string): string;
  /** The same for every text and key in plain data, for JSON output. What is not plain data becomes its JSON form. */
  redactData(data: unknown): unknown;
  /** A redactor that knows these values as well. */
  with(values: Iterable<string>): Redactor;
}

/**
 * Hides exact values of four characters or more, their base64 and URL-encoded forms, and their lines. A shorter value
 * is not hidden: it would take half of every text with it.
 */
export function createRedactor(values: Iterable<string> = []): Redactor {
  return new ValueRedactor(new Set(values));
}

const mask = '***';

class ValueRedactor implements Redactor {
  readonly #values: ReadonlySet<string>;
  #forms: readonly string[] | undefined;

  constructor(values: ReadonlySet<string>) {
    this.#values = values;
  }

  redact(text: string): string {
    return this.#replace(text, () => mask);
  }

  star(text: string): string {
    return this.#replace(text, (hidden) => '*'.repeat(hidden));
  }

  redactData(data: unknown): unknown {
    const json: string | undefined = JSON.stringify(data, (_key, value: unknown) => {
      if (typeof value === 'string') return this.redact(value);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.redact(key), item]));
    });
    return json === undefined ? undefined : JSON.parse(json);
  }

  with(values: Iterable<string>): Redactor {
    return new ValueRedactor(new Set([...this.#values, ...values]));
  }

  #replace(text: string, maskOf: (length: number) => string): string {
    let replaced = '';
    let end = 0;
    for (const range of this.#rangesIn(text)) {
      replaced += text.slice(end, range.start) + maskOf(range.end - range.start);
      end = range.end;
    }
    return replaced + text.slice(end);
  }

  /** Where known values stand. Values that overlap are one range, so that no end of one is left over. */
  #rangesIn(text: string): { readonly start: number; end: number }[] {
    const found: { start: number; end: number }[] = [];
    this.#forms ??= [...new Set(Array.from(this.#values).flatMap(formsOf))];
    for (const form of this.#forms) {
      for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
        const last = found.at(-1);
        // A value may overlap itself, many times in a row.
        if (last !== undefined && last.start <= at && at < last.end && last.end <= at + form.length) {
          last.end = at + form.length;
        } else {
          found.push({ start: at, end: at + form.length });
        }
      }
    }
    const merged: { start: number; end: number }[] = [];
    for (const range of found.sort((a, b) => a.start - b.start)) {
      const last = merged.at(-1);
      if (last !== undefined && range.start < last.end) last.end = Math.max(last.end, range.end);
      else merged.push(range);
    }
    return merged;
  }
}
