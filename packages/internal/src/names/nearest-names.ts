import { distanceOfKeys, MAX_COMPARED, MAX_DISTANCE, toNameKey } from './name-distance.js';

/** Likely names that are compared in full. */
const MAX_COMPARISONS = 1_000;

/** `undefined` if none is near. */
export function nearestName(wanted: string, candidates: Iterable<string>): string | undefined {
  const nearest = new NearestNames(wanted, 1);
  for (const candidate of candidates) nearest.offer(candidate);
  return nearest.best()[0];
}

interface Candidate {
  readonly name: string;
  readonly text: string;
  /** Lower bound of its distance. */
  readonly least: number;
}

interface Near {
  readonly name: string;
  readonly distance: number;
}

/** Collects the names that are nearest to an unknown one, by their first 80 characters, regardless of case. */
export class NearestNames {
  readonly #key: string;
  readonly #letters: LetterCounts;
  readonly #most: number;
  readonly #candidates: Candidate[] = [];

  /** @param most - Maximum number of names that `best` returns. */
  constructor(wanted: string, most: number) {
    this.#key = toNameKey(wanted);
    this.#letters = new LetterCounts(this.#key);
    this.#most = most;
  }

  /** @param text - Compared instead of the name. */
  offer(name: string, text = name): void {
    const compared = text.slice(0, MAX_COMPARED);
    const least = this.#letters.leastChanges(compared) / Math.max(this.#key.length, compared.length);
    if (least <= MAX_DISTANCE) this.#candidates.push({ name, text: compared, least });
  }

  /** Best first. Empty if none is near. */
  best(): readonly string[] {
    if (this.#key === '') return [];
    let near: readonly Near[] = [];
    let limit = MAX_DISTANCE;
    const likeliestFirst = this.#candidates.toSorted((left, right) => left.least - right.least || byName(left, right));
    for (const [index, { name, text, least }] of likeliestFirst.entries()) {
      if (least > limit || (least > 0 && index >= MAX_COMPARISONS)) break;
      const distance = distanceOfKeys(this.#key, toNameKey(text), limit);
      if (distance > limit) continue;
      near = this.#with(near, { name, distance });
      limit = near[this.#most - 1]?.distance ?? limit;
    }
    return near.map(({ name }) => name);
  }

  #with(near: readonly Near[], added: Near): readonly Near[] {
    const same = near.find(({ name }) => name === added.name);
    if (same !== undefined && same.distance <= added.distance) return near;
    const all = [...near.filter((each) => each !== same), added];
    return all.sort((left, right) => left.distance - right.distance || byName(left, right)).slice(0, this.#most);
  }
}

function byName({ name: left }: { readonly name: string }, { name: right }: { readonly name: string }): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

const LETTERS = 36;
const [SEPARATOR, FOREIGN] = [LETTERS, LETTERS + 1];
const LETTER_OF = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = '0123456789abcdefghijklmnopqrstuvwxyz'.indexOf(String.fromCharCode(code).toLowerCase());
  return letter < 0 ? SEPARATOR : letter;
});

/** Lower bounds of edit distances, from letter counts. Rules out most of fifty thousand names without allocating. */
class LetterCounts {
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

  /** 0 if one may be part of the other, or has letters beyond ASCII. */
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
