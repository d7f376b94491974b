import type { ToolCaller, ToolCallResult } from '@x/internal/contracts';
import { randomId } from '../random-id.js';

export interface KeepingBounds {
  readonly maxKeptCharacters: number;
  readonly maxKeptCharactersPerCaller: number;
  readonly keepMs: number;
}

interface KeptResult {
  readonly result: ToolCallResult;
  readonly owner: string;
  readonly length: number;
  readonly keptAt: number;
}

/** Whole results by id, each for the role and principal of its call. The oldest make room for later ones. */
export class KeptResults {
  readonly #bounds: KeepingBounds;
  readonly #now: () => number;
  /** Oldest first. */
  readonly #results = new Map<string, KeptResult>();
  readonly #lengths = new Map<string, number>();
  #length = 0;

  /** @param now - Milliseconds of a monotonic clock. */
  constructor(bounds: KeepingBounds, now: () => number) {
    this.#bounds = bounds;
    this.#now = now;
  }

  /** Returns the id, or `undefined` for a result that is too long. */
  keep(result: ToolCallResult, length: number, caller: ToolCaller): string | undefined {
    const { maxKeptCharacters, maxKeptCharactersPerCaller } = this.#bounds;
    if (length > Math.min(maxKeptCharacters, maxKeptCharactersPerCaller)) return undefined;
    this.#dropOld();
    const owner = ownerOf(caller);
    for (const [id, kept] of this.#results) {
      if ((this.#lengths.get(owner) ?? 0) + length <= maxKeptCharactersPerCaller) break;
      if (kept.owner === owner) this.#drop(id, kept);
    }
    for (const [id, kept] of this.#results) {
      if (this.#length + length <= maxKeptCharacters) break;
      this.#drop(id, kept);
    }
    const id = randomId();
    this.#results.set(id, { result, owner, length, keptAt: this.#now() });
    this.#count(owner, length);
    return id;
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

  #drop(id: string, { owner, length }: KeptResult): void {
    this.#results.delete(id);
    this.#count(owner, -length);
  }

  #count(owner: string, length: number): void {
    const total = (this.#lengths.get(owner) ?? 0) + length;
    if (total === 0) this.#lengths.delete(owner);
    else this.#lengths.set(owner, total);
    this.#length += length;
  }
}

function ownerOf({ role, principal }: ToolCaller): string {
  return JSON.stringify([role ?? null, principal ?? null]);
}
