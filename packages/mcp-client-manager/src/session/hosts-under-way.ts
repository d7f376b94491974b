import type { CallHost } from './call-host.js';

/**
 * How long a call that was given up still counts, in milliseconds: the server may not have read of that yet, or not mind, and
 * ask for what it needs of the client that has gone.
 */
const lingerMs = 5_000;

/** Who can be asked for what a server needs: `several` when it may concern any of several clients, and none must be guessed. */
export type HostChoice = HostUnderWay | 'several' | 'gone';

/** The hosts of the calls and other requests that one session has been sent and has not answered. */
export class HostsUnderWay {
  /** In the order they began. */
  readonly #present = new Set<HostUnderWay>();
  /** Clients of calls that were given up, and until when each counts, by `performance.now()`. */
  readonly #gone = new Map<unknown, number>();

  /** `leave` must follow. */
  enter(host: CallHost): HostUnderWay {
    const entered = new HostUnderWay(host, this);
    this.#present.add(entered);
    return entered;
  }

  /** Of whom to ask what a server asks for without saying what it is about; `undefined` when nobody has a call here. */
  choose(): HostChoice | undefined {
    this.#forgetGone();
    let last: HostUnderWay | undefined;
    for (const entry of this.#present) {
      if (last && entry.host.client !== last.host.client) return 'several';
      last = entry;
    }
    for (const client of this.#gone.keys()) {
      if (!last) return 'gone';
      if (client !== last.host.client) return 'several';
    }
    return last;
  }

  /** The one of a client that began last. */
  lastOf(client: unknown): HostUnderWay | undefined {
    let last: HostUnderWay | undefined;
    for (const entry of this.#present) if (entry.host.client === client) last = entry;
    return last;
  }

  /** Called by the entry itself. */
  left(entry: HostUnderWay, how: HowItEnded): void {
    this.#present.delete(entry);
    if (how === 'answered') return;
    this.#forgetGone();
    this.#gone.delete(entry.host.client); // so that those that count longest are the last
    this.#gone.set(entry.host.client, performance.now() + lingerMs);
  }

  #forgetGone(): void {
    if (this.#gone.size === 0) return;
    const now = performance.now();
    for (const [client, until] of this.#gone) {
      if (until > now) return;
      this.#gone.delete(client);
    }
  }
}

/** `given-up`: the server may still be at it. */
export type HowItEnded = 'answered' | 'given-up';

/** The host of one call or request, for as long as that is under way. */
export class HostUnderWay {
  readonly host: CallHost;
  readonly #all: HostsUnderWay;
  #end: AbortController | undefined;
  #isOver = false;

  constructor(host: CallHost, all: HostsUnderWay) {
    this.host = host;
    this.#all = all;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Aborts when the call is over. Made when it is asked for first: mostly nobody does. */
  get ended(): AbortSignal {
    this.#end ??= new AbortController();
    if (this.#isOver) this.#end.abort();
    return this.#end.signal;
  }

  leave(how: HowItEnded): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#all.left(this, how);
    this.#end?.abort();
  }
}
