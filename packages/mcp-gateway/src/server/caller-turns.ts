/** Time for work in one turn of the event loop. */
const TURN_MS = 8;
/** Time for one caller before the next one's turn. */
const SLICE_MS = 4;
const MAX_STEPS = 64;
/** Event-loop turns without work between two with work: Node accepts one connection in each. */
const FREE_TURNS = 32;

interface Lane {
  readonly caller: string;
  readonly queue: (() => void)[];
  usedMs: number;
}

/**
 * Spreads the work of all callers over turns of the event loop, so that sockets and timers run in between. Callers
 * alternate by used time, so a caller with little work does not wait for one with much. The work of one caller starts
 * in order.
 */
export class CallerTurns {
  readonly #waiting = new Map<string, Lane>();
  #lane: Lane | undefined;
  #began: number | undefined;
  #stepBegan = 0;
  #workedMs = 0;

  /** Resolves when work for the caller may start. `undefined`: at once. */
  acquire(caller: string): Promise<void> | undefined {
    const now = performance.now();
    if (this.#began === undefined) {
      this.#began = now;
      soon(() => this.#endTurn());
    }
    if (this.#waiting.size === 0 && now - this.#began <= TURN_MS) return undefined;
    return new Promise((resolve) => {
      const lane = this.#waiting.get(caller) ?? { caller, queue: [], usedMs: 0 };
      lane.queue.push(resolve);
      this.#waiting.set(caller, lane);
    });
  }

  #endTurn(): void {
    this.#began = undefined;
    if (this.#waiting.size === 0) return;
    this.#began = performance.now();
    afterTurns(FREE_TURNS, () => this.#work());
  }

  /** setImmediate runs each step after the work of the one before. */
  #work(): void {
    this.#workedMs = 0;
    for (let count = 0; count < MAX_STEPS; count++) soon(() => this.#step());
    soon(() => {
      this.#charge(performance.now());
      this.#endTurn();
    });
  }

  #step(): void {
    const now = performance.now();
    this.#charge(now);
    const [lane] = this.#waiting.values();
    if (lane === undefined || this.#workedMs > TURN_MS) return;
    const begin = lane.queue.shift();
    if (lane.queue.length === 0) this.#waiting.delete(lane.caller);
    this.#lane = lane;
    this.#stepBegan = now;
    begin?.();
  }

  /** Moves a caller that has used up its slice to the end. */
  #charge(now: number): void {
    const lane = this.#lane;
    this.#lane = undefined;
    if (lane === undefined) return;
    lane.usedMs += now - this.#stepBegan;
    this.#workedMs += now - this.#stepBegan;
    if (lane.usedMs < SLICE_MS || this.#waiting.get(lane.caller) !== lane) return;
    lane.usedMs = 0;
    this.#waiting.delete(lane.caller);
    this.#waiting.set(lane.caller, lane);
  }
}

function afterTurns(count: number, work: () => void): void {
  if (count === 0 || typeof setImmediate !== 'function') work();
  else setImmediate(() => afterTurns(count - 1, work));
}

function soon(work: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(work);
  else setTimeout(work, 0);
}
