import type { CallHost } from './call-host.js';
import { HostUnderWay, type HowItEnded, type Leaving } from './host-under-way.js';
import { TaskHosts } from './task-hosts.js';

/**
 * How long a client counts after a call of its own has ended, in milliseconds. After an answer only for a moment: clients
 * that take turns at a server could hardly ever be asked otherwise.
 */
const lingerMs: Readonly<Record<HowItEnded, number>> = { answered: 250, 'given-up': 5_000 };

/** Who can be asked for what a server needs: `several` when it may concern any of several, and none must be guessed. */
export type HostChoice = HostUnderWay | 'several' | 'gone';

/** The hosts of the calls and other requests that one session has been sent and has not answered. */
export class HostsUnderWay implements Leaving {
  /** Of the tasks that requests have become, which last longer than those. */
  readonly tasks = new TaskHosts();
  /** In the order they began. */
  readonly #present = new Set<HostUnderWay>();
  /** Clients of calls that have ended, and until when each counts, by `performance.now()`. */
  readonly #gone = new Map<unknown, number>();
  #hasHadAny = false;

  /** Whether anything was ever sent here for anybody. */
  get hasHadAny(): boolean {
    return this.#hasHadAny;
  }

  /** `leave` must follow. */
  enter(host: CallHost): HostUnderWay {
    const entered = new HostUnderWay(host, this);
    this.#hasHadAny = true;
    this.#present.add(entered);
    return entered;
  }

  /**
   * Of whom to ask what a server asks for without saying what it is about; `undefined` when nobody has a call here.
   *
   * @param hasHostless - Whether it may also be about a request that is made for nobody in particular.
   */
  choose(hasHostless: boolean): HostChoice | undefined {
    this.#forgetGone();
    const [first] = this.#present;
    if (!first) return this.#gone.size > 0 ? 'gone' : undefined;
    if (hasHostless) return 'several';
    const { client } = first.host;
    for (const entry of this.#present) if (entry.host.client !== client) return 'several';
    for (const other of this.#gone.keys()) if (other !== client) return 'several';
    return this.lastOf(client);
  }

  /** The one of a client that began last, of those that are not being asked already if there are any. */
  lastOf(client: unknown): HostUnderWay | undefined {
    let last: HostUnderWay | undefined;
    for (const entry of this.#present) {
      if (entry.host.client === client && (!last || last.isAsked || !entry.isAsked)) last = entry;
    }
    return last;
  }

  /** Called by the entry itself. */
  left(entry: HostUnderWay, how: HowItEnded): void {
    const { client } = entry.host;
    this.#present.delete(entry);
    this.#forgetGone();
    this.#gone.set(client, Math.max(this.#gone.get(client) ?? 0, performance.now() + lingerMs[how]));
  }

  #forgetGone(): void {
    if (this.#gone.size === 0) return;
    const now = performance.now();
    for (const [client, until] of this.#gone) if (until <= now) this.#gone.delete(client);
  }
}
