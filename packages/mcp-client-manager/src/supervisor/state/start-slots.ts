import { backoffDelayMs } from './backoff.js';

/** A longer start waits for a download or a login, not for the processors, and occupies no slot. */
const maxSlotMs = 3_000;
/** Per slot, including starts that no longer occupy one: a hundred parallel downloads are no faster. */
const maxStartsPerSlot = 4;

interface StartRequest {
  /** Higher priorities start first among equally urgent servers. */
  readonly priority: number;
  /** Joins the queue when it has resolved. Must not reject. Default: at once. */
  readonly after?: Promise<unknown> | undefined;
  /**
   * A remote server needs no slot of this machine. Its turn comes when each start that occupies one has its process, so that
   * its code loads while processes start. A start that hangs before that delays it as long as it occupies its slot.
   */
  readonly needsSlot: boolean;
  /** True from the turn until the process is there, or the start has failed. */
  isSpawning(): boolean;
  /** Servers for which a caller waits start first. */
  isWaitedFor(): boolean;
  /** Called once, possibly before `request` returns. */
  onTurn(): void;
}

interface Shortage {
  readonly reason: string;
  /** A process ended during the pause: the failed start may be retried. */
  readonly onRoom: () => void;
}

interface Pause {
  readonly reason: string;
  readonly listeners: readonly (() => void)[];
  readonly timer: NodeJS.Timeout;
}

/** Releases the slot, or leaves the queue. May be called repeatedly. */
export type ReleaseSlot = () => void;

/** Limits the concurrent starts of one manager: too many stall the machine and speed up none. */
export class StartSlots {
  readonly #concurrency: number;
  readonly #waiting = new Set<StartRequest>();
  readonly #occupying = new Set<StartRequest>();
  #inProgress = 0;
  #exhaustions = 0;
  #pause: Pause | undefined;
  #blocks = 0;
  #isClosed = false;

  constructor({ concurrency }: { concurrency: number }) {
    this.#concurrency = concurrency;
  }

  request(request: StartRequest): ReleaseSlot {
    let release: ReleaseSlot | undefined;
    let isOver = false;
    const entry: StartRequest = {
      ...request,
      onTurn: () => {
        release = request.needsSlot ? this.#acquire(entry) : undefined;
        request.onTurn();
        if (isOver) release?.();
      },
    };
    const join = (): void => {
      if (isOver) return;
      this.#waiting.add(entry);
      this.#grantTurns();
    };
    if (request.after) void request.after.then(join);
    else join();
    return () => {
      isOver = true;
      this.#waiting.delete(entry);
      release?.();
    };
  }

  /**
   * Pauses all starts while system resources are short. Consecutive pauses grow until a process starts.
   *
   * @returns The pause in milliseconds.
   */
  pause({ reason, onRoom }: Shortage): number {
    this.#exhaustions += 1;
    const delayMs = backoffDelayMs(this.#exhaustions, Math.random());
    const listeners = [...(this.#pause?.listeners ?? []), onRoom];
    clearTimeout(this.#pause?.timer);
    this.#pause = { reason, listeners, timer: setTimeout(() => this.#endPause(), delayMs) };
    return delayMs;
  }

  get shortage(): string | undefined {
    return this.#pause?.reason;
  }

  roomFreed(): void {
    for (const onRoom of this.#endPause()) onRoom();
  }

  spawned(): void {
    this.#exhaustions = 0;
    this.#grantTurns();
  }

  /** Blocks all starts until the returned function is called. */
  block(): () => void {
    this.#blocks += 1;
    return () => {
      this.#blocks -= 1;
      this.#grantTurns();
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.clear();
    clearTimeout(this.#pause?.timer);
  }

  #endPause(): readonly (() => void)[] {
    const { listeners, timer } = this.#pause ?? { listeners: [] };
    clearTimeout(timer);
    this.#pause = undefined;
    this.#grantTurns();
    return listeners;
  }

  #grantTurns(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.#waiting.delete(next);
      next.onTurn();
    }
  }

  #next(): StartRequest | undefined {
    if (this.#pause || this.#blocks > 0 || this.#isClosed) return undefined;
    const hasRoom = this.#occupying.size < this.#concurrency && this.#inProgress < this.#concurrency * maxStartsPerSlot;
    const isSpawning = [...this.#occupying].some((request) => request.isSpawning());
    let best: StartRequest | undefined;
    for (const request of this.#waiting) {
      if (request.needsSlot ? !hasRoom : isSpawning) continue;
      if (!best || comesBefore(request, best)) best = request;
    }
    return best;
  }

  #acquire(request: StartRequest): ReleaseSlot {
    this.#occupying.add(request);
    this.#inProgress += 1;
    let isOver = false;
    const release = (): void => {
      this.#occupying.delete(request);
      this.#grantTurns();
    };
    const timer = setTimeout(release, maxSlotMs);
    timer.unref(); // the start itself keeps the process alive
    return () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      this.#inProgress -= 1;
      release();
    };
  }
}

function comesBefore(one: StartRequest, other: StartRequest): boolean {
  const isWaitedFor = one.isWaitedFor();
  return isWaitedFor === other.isWaitedFor() ? one.priority > other.priority : isWaitedFor;
}
