const LETTERS = 36;
const [SEPARATOR, FOREIGN] = [LETTERS, LETTERS + 1];
const LETTER_OF = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = '0123456789abcdefghijklmnopqrstuvwxyz'.indexOf(String.fromCharCode(code).toLowerCase());
  return letter < 0 ? SEPARATOR : letter;
});

/** Lower bounds of edit distances, from letter counts. Rules out most of fifty thousand names without allocating. */
export class LetterCounts {
  readonly #counts = new Int8Array(LETTERS + 2);
  readonly #left = new Int8Array(LETTERS + 2);
  readonly #letters: number;
  readonly #isForeign: boolean;

  /** @param key - At most 127 characters. */
  constructor(key: string) {
    for (let at = 0; at < key.length; at++) {
      const letter = letterAt(key, at);
      this.#counts[letter] = (this.#counts[letter] ?? 0) + 1;
    }
    this.#isForeign = (this.#counts[FOREIGN] ?? 0) > 0;
    this.#letters = key.length - (this.#counts[SEPARATOR] ?? 0);
  }

  /**
   * Minimum number of changes between the two names. 0 if one may be part of the other, or has letters beyond ASCII.
   */
  leastChanges(name: string): number {
    if (this.#isForeign) return 0;
    const left = this.#left;
    left.set(this.#counts);
    let missing = 0;
    let shared = 0;
    for (let at = 0; at < name.length; at++) {
      const letter = letterAt(name, at);
      if (letter === SEPARATOR) continue;
      if (letter === FOREIGN) return 0;
      const count = left[letter] ?? 0;
      if (count > 0) shared++;
      else missing++;
      left[letter] = count - 1;
    }
    const unused = this.#letters - shared;
    return missing === 0 || unused === 0 ? 0 : Math.max(missing, unused);
  }
}

function letterAt(text: string, at: number): number {
  return LETTER_OF[text.charCodeAt(at)] ?? FOREIGN;
}
