import { backoffDelayMs } from './backoff.js';

/**
 * How long a start may hold its slot, in milliseconds. One that takes longer waits for something else than this
 * machine's processors (a download, a login, nothing at all), and must not keep the others from starting.
 */
const maxHoldMs = 3_000;
/** How many starts may be under way for each slot, those counted that gave theirs back: a hundred downloads are none faster. */
const maxStartsPerSlot = 4;

export interface StartRequest {
  /** Higher ones come first among those that are equally wanted. */
  readonly priority: number;
  /** Whether a process is started. A server that runs elsewhere takes none of this machine's slots. */
  readonly needsSlot: boolean;
  /** Whether somebody waits for the server now; such servers come first. */
  isWaitedFor(): boolean;
  /** Called once, possibly before `request` returns. */
  onTurn(): void;
}

/** The system had no room for a process. */
export interface Shortage {
  /** The error of the start, for people. */
  readonly reason: string;
  /** Called when a process has ended before the pause is over: the start that failed may be tried again. */
  readonly onRoom: () => void;
}

interface Pause {
  readonly reason: string;
  readonly listeners: readonly (() => void)[];
  readonly timer: NodeJS.Timeout;
}

/** Gives the turn back, or leaves the queue. May be called at any time and more than once. */
export type ReleaseSlot = () => void;

/** Lets a few servers of one manager start at a time: many at once make the host stand still and nobody faster. */
export class StartSlots {
  readonly #concurrency: number;
  readonly #waiting = new Set<StartRequest>();
  #taken = 0;
  /** Starts that are not over, whether or not they still hold a slot. */
  #underWay = 0;
  #exhaustions = 0;
  #pause: Pause | undefined;
  #holds = 0;
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
        release = request.needsSlot ? this.#take() : undefined;
        request.onTurn();
        if (isOver) release?.();
      },
    };
    this.#waiting.add(entry);
    this.#giveTurns();
    return () => {
      isOver = true;
      this.#waiting.delete(entry);
      release?.();
    };
  }

  /**
   * Starts nothing for a while, since the system has no room for another process; for longer each time until one starts.
   * @returns How long, in milliseconds.
   */
  pause({ reason, onRoom }: Shortage): number {
    this.#exhaustions += 1;
    const delayMs = backoffDelayMs(this.#exhaustions, Math.random());
    const listeners = [...(this.#pause?.listeners ?? []), onRoom];
    clearTimeout(this.#pause?.timer);
    this.#pause = { reason, listeners, timer: setTimeout(() => this.#endPause(), delayMs) };
    return delayMs;
  }

  /** Why nothing starts now; `undefined` unless the system has no room for another process. */
  get shortage(): string | undefined {
    return this.#pause?.reason;
  }

  /** Ends the pause, since a process has ended and left its room. */
  roomFreed(): void {
    for (const onRoom of this.#endPause()) onRoom();
  }

  /** The system had room for a process again. */
  spawned(): void {
    this.#exhaustions = 0;
  }

  /** Nothing starts until what it returns is called, once. */
  hold(): () => void {
    this.#holds += 1;
    return () => {
      this.#holds -= 1;
      this.#giveTurns();
    };
  }

  /** Nothing starts any more. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.clear();
    clearTimeout(this.#pause?.timer);
  }

  /** @returns The listeners of the pause. */
  #endPause(): readonly (() => void)[] {
    const { listeners, timer } = this.#pause ?? { listeners: [] };
    clearTimeout(timer);
    this.#pause = undefined;
    this.#giveTurns();
    return listeners;
  }

  #giveTurns(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.#waiting.delete(next);
      next.onTurn();
    }
  }

  #next(): StartRequest | undefined {
    if (this.#pause || this.#holds > 0 || this.#isClosed) return undefined;
    const hasRoom = this.#taken < this.#concurrency && this.#underWay < this.#concurrency * maxStartsPerSlot;
    let best: StartRequest | undefined;
    for (const request of this.#waiting) {
      if (!hasRoom && request.needsSlot) continue;
      if (!best || comesBefore(request, best)) best = request;
    }
    return best;
  }

  #take(): ReleaseSlot {
    this.#taken += 1;
    this.#underWay += 1;
    let isHeld = true;
    let isOver = false;
    const giveBack = (): void => {
      if (isHeld) this.#taken -= 1;
      isHeld = false;
      this.#giveTurns();
    };
    const timer = setTimeout(giveBack, maxHoldMs);
    timer.unref(); // the start itself keeps the host alive
    return () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      this.#underWay -= 1;
      giveBack();
    };
  }
}

/** Who is as much wanted as another comes after it: the queue keeps the order of the requests. */
function comesBefore(one: StartRequest, other: StartRequest): boolean {
  const isWaitedFor = one.isWaitedFor();
  return isWaitedFor === other.isWaitedFor() ? one.priority > other.priority : isWaitedFor;
}
