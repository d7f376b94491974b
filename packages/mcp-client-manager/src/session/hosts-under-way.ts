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

/**
 * The owner of the only requests that something which a server says can be about. `several`: it can be about requests of
 * several owners, or of one that was made for nobody in particular.
 */
export type OwnerChoice = { readonly owner: unknown } | 'several';

interface Gone {
  readonly owner: unknown;
  /** When the client counts no more, by `performance.now()`. */
  readonly until: number;
  readonly moment: number;
}

/** The hosts of the calls and other requests that one session has been sent and has not answered. */
export class HostsUnderWay implements Leaving {
  /** Of the tasks that requests have become, which last longer than those. */
  readonly tasks = new TaskHosts();
  /** In the order they began. */
  readonly #present = new Set<HostUnderWay>();
  /** Clients of calls that have ended: by their last one, and by the last one that was given up. The next to be forgotten first. */
  readonly #answered = new Map<unknown, Gone>();
  readonly #givenUp = new Map<unknown, Gone>();
  /** Counts what has begun and ended, so that it is known which came first. */
  #moment = 0;
  #forgetting: NodeJS.Timeout | undefined;
  #hasHadAny = false;
  /** Of all requests that there ever were here. */
  #ever: OwnerChoice | undefined;

  /** Whether anything was ever sent here for anybody. */
  get hasHadAny(): boolean {
    return this.#hasHadAny;
  }

  /** `leave` must follow. */
  enter(host: CallHost): HostUnderWay {
    const entered = new HostUnderWay(host, this, ++this.#moment);
    this.#hasHadAny = true;
    this.#ever = including(this.#ever, ownerOf(host));
    this.#present.add(entered);
    return entered;
  }

  /** To be called when a request begins that is made for nobody in particular. */
  enterHostless(): void {
    this.#ever = 'several';
  }

  /**
   * The owner of what is under way or has ended a moment ago; else the only owner that ever was here. `undefined`: nobody
   * was.
   *
   * @param hasHostless - Whether a request is under way that is made for nobody in particular.
   */
  chooseOwner(hasHostless: boolean): OwnerChoice | undefined {
    if (hasHostless) return 'several';
    this.#forgetGone();
    let choice: OwnerChoice | undefined;
    for (const { host } of this.#present) choice = including(choice, ownerOf(host));
    for (const { owner } of this.#givenUp.values()) choice = including(choice, owner);
    const [oldest] = this.#present;
    for (const [client, { owner, moment }] of this.#answered) {
      // Clients that belong to nobody have no secrets from each other: what comes is taken to be about the newer call.
      const isPast = oldest !== undefined && moment < oldest.began && owner === client && isNobodys(oldest.host);
      if (!isPast) choice = including(choice, owner);
    }
    return choice ?? this.#ever;
  }

  /** The owner of the request that something is about; once that is gone, the only owner that ever was here. */
  ownerAbout(request: { readonly host?: HostUnderWay | undefined } | 'gone'): OwnerChoice {
    if (request === 'gone') return this.#ever ?? 'several';
    return request.host === undefined ? 'several' : { owner: ownerOf(request.host.host) };
  }

  /**
   * Of whom to ask what a server asks for without saying what it is about; `undefined` when nobody has a call here.
   *
   * @param hasHostless - Whether it may also be about a request that is made for nobody in particular.
   */
  choose(hasHostless: boolean): HostChoice | undefined {
    this.#forgetGone();
    const [first] = this.#present;
    if (!first) return this.#answered.size + this.#givenUp.size > 0 ? 'gone' : undefined;
    if (hasHostless) return 'several';
    const { client } = first.host;
    for (const entry of this.#present) if (entry.host.client !== client) return 'several';
    for (const other of this.#givenUp.keys()) if (other !== client) return 'several';
    const last = this.lastOf(client);
    // What a server asks once it has a new call is taken to be about that one.
    for (const [other, { moment }] of this.#answered)
      if (other !== client && moment > (last?.began ?? 0)) return 'several';
    return last;
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
    this.#present.delete(entry);
    const { client } = entry.host;
    const gone = how === 'answered' ? this.#answered : this.#givenUp;
    gone.delete(client); // so that it comes last
    gone.set(client, { owner: ownerOf(entry.host), until: performance.now() + lingerMs[how], moment: ++this.#moment });
    this.#forgetLater();
  }

  #forgetGone(): void {
    const now = performance.now();
    for (const gone of [this.#answered, this.#givenUp]) {
      for (const [client, { until }] of gone) {
        if (until > now) break;
        gone.delete(client);
      }
    }
  }

  /** Also when nothing is sent or asked here any more: a client may hold much, and be gone. */
  #forgetLater(): void {
    if (this.#forgetting !== undefined || this.#answered.size + this.#givenUp.size === 0) return;
    const linger = this.#answered.size > 0 ? lingerMs.answered : lingerMs['given-up'];
    this.#forgetting = setTimeout(() => {
      this.#forgetting = undefined;
      this.#forgetGone();
      this.#forgetLater();
    }, linger + 1);
    this.#forgetting.unref();
  }
}

function ownerOf({ client, owner = client }: CallHost): unknown {
  return owner;
}

function isNobodys({ client, owner = client }: CallHost): boolean {
  return owner === client;
}

function including(choice: OwnerChoice | undefined, owner: unknown): OwnerChoice {
  return choice === undefined || (choice !== 'several' && choice.owner === owner) ? { owner } : 'several';
}
