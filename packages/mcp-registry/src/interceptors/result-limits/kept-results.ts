import type { ToolCaller, ToolCallResult } from '@x/internal/contracts';
import { randomId } from '../random-id.js';
import { sizeWithin } from './value-size.js';

export interface KeepingBounds {
  readonly maxKeptCharacters: number;
  readonly maxKeptCharactersPerCaller: number;
  readonly keepMs: number;
}

interface KeptResult {
  readonly result: ToolCallResult;
  readonly owner: string;
  readonly size: number;
  readonly keptAt: number;
}

/**
 * Whole results by id, each for the role and principal of its call. The oldest make room for later ones.
 */
export class KeptResults {
  readonly #bounds: KeepingBounds;
  readonly #now: () => number;
  /** Oldest first. */
  readonly #results = new Map<string, KeptResult>();
  readonly #sizes = new Map<string, number>();
  readonly #together: KeptTogether;
  #size = 0;

  /**
   * @param now - Milliseconds of a monotonic clock.
   * @param together - Default: all stores of this process.
   */
  constructor(bounds: KeepingBounds, now: () => number, together: KeptTogether = ofProcess) {
    this.#bounds = bounds;
    this.#now = now;
    this.#together = together;
    together.add(this);
  }

  /** Characters of all results. */
  get size(): number {
    return this.#size;
  }

  get max(): number {
    return this.#bounds.maxKeptCharacters;
  }

  /** Returns the id, or `undefined` for a result that is too long. */
  keep(result: ToolCallResult, caller: ToolCaller): string | undefined {
    const { maxKeptCharacters, maxKeptCharactersPerCaller } = this.#bounds;
    const max = Math.min(maxKeptCharacters, maxKeptCharactersPerCaller);
    const size = sizeWithin(result, max);
    if (size > max) return undefined;
    this.#dropOld();
    const owner = ownerOf(caller);
    for (const [id, kept] of this.#results) {
      if ((this.#sizes.get(owner) ?? 0) + size <= maxKeptCharactersPerCaller) break;
      if (kept.owner === owner) this.#drop(id, kept);
    }
    for (const [id, kept] of this.#results) {
      if (this.#size + size <= maxKeptCharacters) break;
      this.#drop(id, kept);
    }
    this.#together.makeRoom(size);
    const id = randomId();
    this.#results.set(id, { result, owner, size, keptAt: this.#now() });
    this.#count(owner, size);
    return id;
  }

  /** Drops results that are too old, and one more. */
  dropOldest(): void {
    this.#dropOld();
    const [oldest] = this.#results;
    if (oldest) this.#drop(...oldest);
  }

  /** `undefined` also for another caller's. */
  find(id: string, caller: ToolCaller): ToolCallResult | undefined {
    this.#dropOld();
    const kept = this.#results.get(id);
    return kept?.owner === ownerOf(caller) ? kept.result : undefined;
  }

  #dropOld(): void {
    const oldest = this.#now() - this.#bounds.keepMs;
    for (const [id, kept] of this.#results) {
      if (kept.keptAt >= oldest) break;
      this.#drop(id, kept);
    }
  }

  #drop(id: string, { owner, size }: KeptResult): void {
    this.#results.delete(id);
    this.#count(owner, -size);
  }

  #count(owner: string, size: number): void {
    const total = (this.#sizes.get(owner) ?? 0) + size;
    if (total === 0) this.#sizes.delete(owner);
    else this.#sizes.set(owner, total);
    this.#size += size;
  }
}

/** Bounds the sum of stores, such as those of the clients of one daemon. */
export class KeptTogether {
  readonly #max: number;
  /** A store leaves when nothing uses it. */
  readonly #stores = new Set<WeakRef<KeptResults>>();

  /** @param max - Characters; more if one store alone may have more. */
  constructor(max: number) {
    this.#max = max;
  }

  add(store: KeptResults): void {
    this.#stores.add(new WeakRef(store));
  }

  /** The largest store loses its oldest results, so that one busy client costs the others nothing. */
  makeRoom(size: number): void {
    const stores = this.#present();
    const max = Math.max(this.#max, ...stores.map((store) => store.max));
    while (stores.reduce((sum, store) => sum + store.size, size) > max) {
      stores.reduce((largest, store) => (store.size > largest.size ? store : largest)).dropOldest();
    }
  }

  #present(): readonly KeptResults[] {
    return [...this.#stores].flatMap((reference) => {
      const store = reference.deref();
      if (store === undefined) this.#stores.delete(reference);
      return store ?? [];
    });
  }
}

/** Two full stores with the default bounds. */
const ofProcess = new KeptTogether(134_217_728);

function ownerOf({ role, principal }: ToolCaller): string {
  return JSON.stringify([role ?? null, principal ?? null]);
}
