import { ActiveCaller, type CallEnd, type EndListener } from './active-caller.js';
import type { CallHandler } from './call-handler.js';
import { TaskCallers } from './task-callers.js';

/**
 * Time for which a client counts as active after its call. It is short after an answer: clients that use a server in
 * turn would block each other's server requests.
 */
const lingerMs: Readonly<Record<CallEnd, number>> = { answered: 250, abandoned: 5_000 };

/** Recipient of a server request. `several`: it may concern several clients. `gone`: the last client has left. */
export type CallerChoice = ActiveCaller | 'several' | 'gone';

/**
 * Owner of the requests that a server message may be about. `several`: more than one owner, or a request without a
 * handler.
 */
export type OwnerChoice = { readonly owner: unknown } | 'several';

interface EndedCaller {
  readonly owner: unknown;
  readonly until: number;
  readonly moment: number;
}

export class ActiveCallers implements EndListener {
  /** Tasks outlive the requests that created them. */
  readonly tasks = new TaskCallers();
  /** Oldest first. */
  readonly #present = new Set<ActiveCaller>();
  /** Clients by their last answered and last abandoned call. The next to expire first. */
  readonly #answered = new Map<unknown, EndedCaller>();
  readonly #abandoned = new Map<unknown, EndedCaller>();
  #moment = 0;
  #evictionTimer: NodeJS.Timeout | undefined;
  #hasHadAny = false;
  /** Owner of all requests so far. */
  #ever: OwnerChoice | undefined;

  get hasHadAny(): boolean {
    return this.#hasHadAny;
  }

  /** The caller must call `end` on the entry. */
  add(handler: CallHandler): ActiveCaller {
    const entered = new ActiveCaller(handler, this, ++this.#moment);
    this.#hasHadAny = true;
    this.#ever = including(this.#ever, ownerOf(handler));
    this.#present.add(entered);
    return entered;
  }

  addAnonymous(): void {
    this.#ever = 'several';
  }

  /**
   * Owner of the requests that are in progress or have just ended, or else the only owner so far. `undefined`: no
   * caller has used the session.
   */
  chooseOwner(hasAnonymous: boolean): OwnerChoice | undefined {
    if (hasAnonymous) return 'several';
    this.#evictExpired();
    let choice: OwnerChoice | undefined;
    for (const { handler } of this.#present) choice = including(choice, ownerOf(handler));
    for (const { owner } of this.#abandoned.values()) choice = including(choice, owner);
    const [oldest] = this.#present;
    for (const [client, { owner, moment }] of this.#answered) {
      // Clients without an owner share one trust domain: the message counts as about the newer call.
      const isPast = oldest !== undefined && moment < oldest.began && owner === client && isUnowned(oldest.handler);
      if (!isPast) choice = including(choice, owner);
    }
    return choice ?? this.#ever;
  }

  /** Once the request is gone: the only owner so far. */
  ownerAbout(request: { readonly caller?: ActiveCaller | undefined } | 'gone'): OwnerChoice {
    if (request === 'gone') return this.#ever ?? 'several';
    return request.caller === undefined ? 'several' : { owner: ownerOf(request.caller.handler) };
  }

  /** For a server request that names no call. `undefined`: no caller has a call here. */
  choose(hasAnonymous: boolean): CallerChoice | undefined {
    this.#evictExpired();
    const [first] = this.#present;
    if (!first) return this.#answered.size + this.#abandoned.size > 0 ? 'gone' : undefined;
    if (hasAnonymous) return 'several';
    const { client } = first.handler;
    for (const entry of this.#present) if (entry.handler.client !== client) return 'several';
    for (const other of this.#abandoned.keys()) if (other !== client) return 'several';
    const last = this.lastOf(client);
    // A server request that follows a new call counts as about that call.
    for (const [other, { moment }] of this.#answered)
      if (other !== client && moment > (last?.began ?? 0)) return 'several';
    return last;
  }

  /** Prefers a call without an open server request. */
  lastOf(client: unknown): ActiveCaller | undefined {
    let last: ActiveCaller | undefined;
    for (const entry of this.#present) {
      if (entry.handler.client === client && (!last || last.isAnswering || !entry.isAnswering)) last = entry;
    }
    return last;
  }

  onEnded(entry: ActiveCaller, how: CallEnd): void {
    this.#present.delete(entry);
    const { client } = entry.handler;
    const ended = how === 'answered' ? this.#answered : this.#abandoned;
    ended.delete(client); // reinsertion moves it to the end
    ended.set(client, {
      owner: ownerOf(entry.handler),
      until: performance.now() + lingerMs[how],
      moment: ++this.#moment,
    });
    this.#scheduleEviction();
  }

  #evictExpired(): void {
    const now = performance.now();
    for (const ended of [this.#answered, this.#abandoned]) {
      for (const [client, { until }] of ended) {
        if (until > now) break;
        ended.delete(client);
      }
    }
  }

  /** Without a timer, an idle session would keep the clients in memory. */
  #scheduleEviction(): void {
    if (this.#evictionTimer !== undefined || this.#answered.size + this.#abandoned.size === 0) return;
    const linger = this.#answered.size > 0 ? lingerMs.answered : lingerMs.abandoned;
    this.#evictionTimer = setTimeout(() => {
      this.#evictionTimer = undefined;
      this.#evictExpired();
      this.#scheduleEviction();
    }, linger + 1);
    this.#evictionTimer.unref();
  }
}

function ownerOf({ client, owner = client }: CallHandler): unknown {
  return owner;
}

function isUnowned({ client, owner = client }: CallHandler): boolean {
  return owner === client;
}

function including(choice: OwnerChoice | undefined, owner: unknown): OwnerChoice {
  return choice === undefined || (choice !== 'several' && choice.owner === owner) ? { owner } : 'several';
}
