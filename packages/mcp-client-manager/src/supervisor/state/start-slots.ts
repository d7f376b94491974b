import { backoffDelayMs } from './backoff.js';

/** A longer start waits for a download or a login, not for the processors, and occupies no slot. */
const maxSlotMs = 3_000;
/** Longest wait of a remote server for processes that are starting, in milliseconds. */
const headStartMs = 250;
/** Per slot, including starts that no longer occupy one: a hundred parallel downloads are no faster. */
const maxStartsPerSlot = 4;

interface StartRequest {
  /** Higher priorities start first among equally urgent servers. */
  readonly priority: number;
  /** Joins the queue when it has resolved. Must not reject. Default: at once. */
  readonly after?: Promise<unknown> | undefined;
  /**
   * A process takes a slot. A remote server takes none, and lets processes go first that are starting and at least as urgent,
   * for 250 ms at most: loading its code would delay their handshakes.
   */
  readonly type: 'stdio' | 'http' | 'in-process';
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
  /** Remote servers that let processes go first, until the timer ends. */
  readonly #yielding = new Map<StartRequest, NodeJS.Timeout>();
  #reconsidering: NodeJS.Immediate | undefined;
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
        this.#endYielding(entry);
        release = request.type === 'stdio' ? this.#acquire(entry) : undefined;
        request.onTurn();
        if (isOver) release?.();
      },
    };
    const join = (): void => {
      if (isOver || this.#isClosed) return;
      this.#waiting.add(entry);
      if (request.type === 'http') this.#beginYielding(entry);
      this.#grantTurns();
    };
    if (request.after) void request.after.then(join);
    else join();
    return () => {
      isOver = true;
      this.#waiting.delete(entry);
      this.#endYielding(entry);
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
  }

  /** Call it when a caller begins to wait for a server. A remote one may go before processes now. */
  becameUrgent(): void {
    if (this.#yielding.size > 0) this.#reconsider();
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
    for (const request of this.#yielding.keys()) this.#endYielding(request);
    clearImmediate(this.#reconsidering);
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
    let best: StartRequest | undefined;
    for (const request of this.#waiting) {
      if (request.type === 'stdio' ? !hasRoom : this.#yields(request)) continue;
      if (!best || comesBefore(request, best)) best = request;
    }
    return best;
  }

  #yields(request: StartRequest): boolean {
    if (!this.#yielding.has(request)) return false;
    return this.#reconsidering !== undefined || [...this.#occupying].some((process) => !comesBefore(request, process));
  }

  #beginYielding(request: StartRequest): void {
    const end = (): void => {
      this.#yielding.delete(request);
      this.#grantTurns();
    };
    this.#yielding.set(request, setTimeout(end, headStartMs));
    this.#reconsider();
  }

  /** All that begin in one turn of the event loop count together, such as the servers of one command. */
  #reconsider(): void {
    this.#reconsidering ??= setImmediate(() => {
      this.#reconsidering = undefined;
      this.#grantTurns();
    });
  }

  #endYielding(request: StartRequest): void {
    clearTimeout(this.#yielding.get(request));
    this.#yielding.delete(request);
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
