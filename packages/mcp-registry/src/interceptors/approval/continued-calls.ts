import { digestOf } from './approval-request.js';

const MAX = 1_000;
const LIFETIME_MS = 600_000;

/** Approved calls whose server asked for input first: the request that continues one needs no second approval. */
export class ContinuedCalls {
  /** Ends by key, oldest first. */
  readonly #ends = new Map<string, number>();

  /** @param binding - What was approved. @param state - The `requestState` of the result. */
  add(binding: string, state: unknown): void {
    const [oldest] = this.#ends.keys();
    if (this.#ends.size >= MAX && oldest !== undefined) this.#ends.delete(oldest);
    const key = keyOf(binding, state);
    this.#ends.delete(key);
    this.#ends.set(key, performance.now() + LIFETIME_MS);
  }

  /** True once. */
  take(binding: string, state: unknown): boolean {
    const key = keyOf(binding, state);
    const end = this.#ends.get(key);
    this.#ends.delete(key);
    return end !== undefined && performance.now() < end;
  }
}

function keyOf(binding: string, state: unknown): string {
  return digestOf(JSON.stringify([binding, state ?? null]));
}
