import { LetterCounts } from './letter-counts.js';
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
