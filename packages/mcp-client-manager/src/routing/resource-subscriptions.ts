import type { Session } from '../session/session.js';
import type { Supervisor } from '../supervisor/supervisor.js';

/** Longest time for subscribing anew to one resource, in milliseconds. */
const renewalMs = 30_000;

export interface ResourceSubscriptionsOptions {
  readonly supervisor: Supervisor;
  /** A resource may have changed. */
  readonly onResourceUpdated: (uri: string) => void;
}

/**
 * The resources of one server that somebody wants to be told of. A server forgets them when its process ends, so they
 * are kept here, and asked for again of each process that comes after it.
 */
export class ResourceSubscriptions {
  readonly #options: ResourceSubscriptionsOptions;
  /** With the session that has taken it. */
  readonly #wanted = new Map<string, WeakRef<Session>>();
  #renewing: Session | undefined;

  constructor(options: ResourceSubscriptionsOptions) {
    this.#options = options;
  }

  /** To be called when `session` has taken the subscription. */
  add(uri: string, session: Session): void {
    this.#wanted.set(uri, new WeakRef(session));
  }

  delete(uri: string): void {
    this.#wanted.delete(uri);
  }

  /** To be called whenever the server may be ready anew. Never rejects. */
  async renew(): Promise<void> {
    const session = this.#options.supervisor.readySession;
    if (!session || this.#wanted.size === 0 || session === this.#renewing) return;
    this.#renewing = session;
    for (const [uri, takenBy] of [...this.#wanted]) {
      if (takenBy.deref() === session) continue;
      await this.#renewOne(uri, session);
      if (!session.isOpen) return; // the next one is asked for all of them again
    }
  }

  /** Nobody knows what happened to the resource in between, so it is said to have changed; a reader finds out. */
  async #renewOne(uri: string, session: Session): Promise<void> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), renewalMs);
    try {
      await session.request('resources/subscribe', { uri }, { signal: deadline.signal });
      if (this.#wanted.has(uri)) this.add(uri, session);
    } catch {
      if (!session.isOpen) return;
      this.delete(uri); // the server does not have it any more
    } finally {
      clearTimeout(timer);
    }
    this.#options.onResourceUpdated(uri);
  }
}
