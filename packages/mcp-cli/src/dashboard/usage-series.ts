import type { UsageFigures, UsagePoint } from './page-messages.js';

/** Ratio of two limits of the bins of durations. */
const growth = 1.7;
/** The last limit is 200 s. The last bin also has what takes longer. */
const bins = 24;
const errorsAt = bins;
const refusedAt = bins + 1;
const width = bins + 2;

/** One finished call. */
export interface UsedCall {
  readonly outcome: 'ok' | 'error' | 'refused';
  /** In milliseconds. Absent for a call that reached no server. */
  readonly durationMs: number | undefined;
}

/** Counts of calls in a fixed number of time slots. Takes 112 bytes a slot. */
export class UsageSeries {
  readonly #slotMs: number;
  readonly #counts: Uint32Array;
  /** Number of the slot since 1970 that a part of the counts belongs to. */
  readonly #slots: Float64Array;

  constructor({ slots, slotMs }: { readonly slots: number; readonly slotMs: number }) {
    this.#slotMs = slotMs;
    this.#counts = new Uint32Array(slots * width);
    this.#slots = new Float64Array(slots).fill(-1);
  }

  add({ outcome, durationMs }: UsedCall, at: number): void {
    const slot = Math.floor(at / this.#slotMs);
    const index = slot % this.#slots.length;
    const from = index * width;
    if (this.#slots[index] !== slot) {
      this.#slots[index] = slot;
      this.#counts.fill(0, from, from + width);
    }
    if (outcome === 'refused') this.#increment(from + refusedAt);
    else this.#increment(from + binOf(durationMs ?? 0));
    if (outcome === 'error') this.#increment(from + errorsAt);
  }

  /** The sum of all slots that end at `at`. */
  sum(at: number): UsageFigures {
    const total = new Uint32Array(width);
    for (const from of this.#offsets(at)) {
      if (from === undefined) continue;
      for (let index = 0; index < width; index += 1)
        total[index] = count(total, index) + count(this.#counts, from + index);
    }
    return figuresOf(total);
  }

  /** The slots that end at `at`, oldest first. */
  points(at: number): readonly UsagePoint[] {
    const none: UsagePoint = { calls: 0, errors: 0 };
    return this.#offsets(at).map((from) => {
      if (from === undefined) return none;
      const { refused: _refused, ...point } = figuresOf(this.#counts.subarray(from, from + width));
      return point;
    });
  }

  /** Offsets of the counts of each slot; `undefined` for a slot without calls. */
  #offsets(at: number): readonly (number | undefined)[] {
    const { length } = this.#slots;
    const last = Math.floor(at / this.#slotMs);
    return Array.from({ length }, (_, age) => {
      const slot = last - length + 1 + age;
      const index = slot % length;
      return this.#slots[index] === slot ? index * width : undefined;
    });
  }

  #increment(index: number): void {
    this.#counts[index] = count(this.#counts, index) + 1;
  }
}

function figuresOf(counts: Uint32Array): UsageFigures {
  let calls = 0;
  for (let bin = 0; bin < bins; bin += 1) calls += count(counts, bin);
  const figures = { calls, errors: count(counts, errorsAt), refused: count(counts, refusedAt) };
  if (calls === 0) return figures;
  return { ...figures, p50Ms: quantile(counts, calls, 0.5), p95Ms: quantile(counts, calls, 0.95) };
}

function binOf(durationMs: number): number {
  if (durationMs <= 1) return 0;
  return Math.min(Math.ceil(Math.log(durationMs) / Math.log(growth)), bins - 1);
}

/** Interpolated within its bin, so at most 70 % from the true value and typically 10 %. */
function quantile(counts: Uint32Array, calls: number, share: number): number {
  let rest = share * calls;
  let bin = 0;
  while (bin < bins - 1 && rest > count(counts, bin)) {
    rest -= count(counts, bin);
    bin += 1;
  }
  const part = rest / Math.max(count(counts, bin), 1);
  if (bin === 0) return Math.max(1, Math.round(part));
  return Math.round(growth ** (bin - 1 + part));
}

function count(counts: Uint32Array, index: number): number {
  return counts[index] as number;
}
