import type { TextRange } from '../text.js';
import { cleanedText, type Reading, readingsOf } from './readings.js';
import { formsOf, shortestHidden } from './secret-forms.js';

/** No form is shorter. */
const startLength = shortestHidden;

export class FormIndex {
  readonly #byStart = new Map<string, FormsOfStart>();
  readonly #firstCharacters = new Set<number>();

  constructor(values: Iterable<string>) {
    const longestFirst = [...allForms(values)].sort((a, b) => b.length - a.length);
    for (const form of longestFirst) {
      const start = form.slice(0, startLength);
      const others = this.#byStart.get(start) ?? { forms: new Set(), lengths: new Set() };
      others.forms.add(form);
      others.lengths.add(form.length);
      this.#byStart.set(start, others);
      this.#firstCharacters.add(form.charCodeAt(0));
    }
  }

  /** Ranges of every form in any reading of the text, in order. Overlapping ones are joined. */
  rangesIn(text: string): readonly TextRange[] {
    if (this.#byStart.size === 0) return [];
    return joined(Array.from(readingsOf(text), (reading) => this.#rangesOf(reading)).flat());
  }

  #rangesOf({ text, places }: Reading): TextRange[] {
    const ranges: TextRange[] = [];
    for (let at = 0; at < text.length; at++) {
      if (!this.#firstCharacters.has(text.charCodeAt(at))) continue;
      const length = this.#longestAt(text, at);
      if (length !== undefined) append(ranges, { start: at, end: at + length });
    }
    if (places === undefined) return ranges;
    return ranges.map(({ start, end }) => ({
      start: places.starts[start] ?? start,
      end: places.ends[end - 1] ?? end,
    }));
  }

  #longestAt(text: string, at: number): number | undefined {
    const found = this.#byStart.get(text.slice(at, at + startLength));
    if (found === undefined) return undefined;
    for (const length of found.lengths) {
      if (at + length <= text.length && found.forms.has(text.slice(at, at + length))) return length;
    }
    return undefined;
  }
}

/** As written, and as in a cleaned reading. */
function allForms(values: Iterable<string>): ReadonlySet<string> {
  const forms = new Set(Array.from(values).flatMap(formsOf));
  for (const form of [...forms]) {
    const clean = cleanedText(form).trim();
    if (clean.length >= shortestHidden) forms.add(clean);
  }
  return forms;
}

/** The ranges in order, overlapping ones merged. Adjacent ranges stay separate. */
export function joined(ranges: readonly TextRange[]): readonly TextRange[] {
  const result: TextRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) append(result, range);
  return result;
}

/** @param range - Starts no earlier than the last of `ranges`. */
function append(ranges: TextRange[], range: TextRange): void {
  const last = ranges.at(-1);
  if (last === undefined || range.start >= last.end) ranges.push(range);
  else ranges[ranges.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
}

interface FormsOfStart {
  readonly forms: Set<string>;
  /** Longest first. */
  readonly lengths: Set<number>;
}
