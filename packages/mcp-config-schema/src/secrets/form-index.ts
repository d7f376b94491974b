import type { TextRange } from '../source/text-range.js';
import { formsOf, shortestHidden } from './secret-forms.js';

/** What forms are first told apart by; none is shorter. */
const startLength = shortestHidden;

/** Finds every form of many values in one pass over a text, however many values there are. */
export class FormIndex {
  readonly #byStart = new Map<string, FormsOfStart>();
  readonly #firstCharacters = new Set<number>();

  constructor(values: Iterable<string>) {
    for (const form of new Set(Array.from(values).flatMap(formsOf))) {
      const start = form.slice(0, startLength);
      const others = this.#byStart.get(start) ?? { forms: new Set(), lengths: [] };
      others.forms.add(form);
      if (!others.lengths.includes(form.length)) others.lengths.push(form.length);
      this.#byStart.set(start, others);
      this.#firstCharacters.add(form.charCodeAt(0));
    }
    for (const { lengths } of this.#byStart.values()) lengths.sort((a, b) => b - a);
  }

  /** Where forms stand, in order. Those that overlap are one range, so that no end of one is left over. */
  rangesIn(text: string): readonly TextRange[] {
    const ranges: { readonly start: number; end: number }[] = [];
    if (this.#byStart.size === 0) return ranges;
    for (let at = 0; at <= text.length - startLength; at++) {
      if (!this.#firstCharacters.has(text.charCodeAt(at))) continue;
      const length = this.#longestAt(text, at);
      if (length === undefined) continue;
      const last = ranges.at(-1);
      if (last !== undefined && at < last.end) last.end = Math.max(last.end, at + length);
      else ranges.push({ start: at, end: at + length });
    }
    return ranges;
  }

  #longestAt(text: string, at: number): number | undefined {
    const found = this.#byStart.get(text.slice(at, at + startLength));
    return found?.lengths.find((length) => found.forms.has(text.slice(at, at + length)));
  }
}

/** Forms that begin with the same characters. */
interface FormsOfStart {
  readonly forms: Set<string>;
  /** Each length that there is, the longest first: far fewer than there are forms. */
  readonly lengths: number[];
}
