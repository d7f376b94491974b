import { isManagerError } from '../errors.js';
import type { Session } from '../session/session.js';
import type { Supervisor } from '../supervisor/supervisor.js';

/** Longest time for subscribing anew to one resource, in milliseconds. */
const renewalMs = 30_000;
/** What a server answers that does not have the resource: before revision 2026-07-28, and from then on. */
const unknownResource: ReadonlySet<number> = new Set([-32_002, -32_602]);

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
    let hasFailed = false;
    for (const [uri, takenBy] of [...this.#wanted]) {
      if (takenBy.deref() === session) continue;
      hasFailed = (await this.#renewOne(uri, session)) === 'failed' || hasFailed;
      if (!session.isOpen) return; // the next one is asked for all of them again
    }
    if (hasFailed && this.#renewing === session) this.#renewing = undefined; // it is asked again when its state changes
  }

  /** Nobody knows what happened to the resource in between, so it is said to have changed; a reader finds out. */
  async #renewOne(uri: string, session: Session): Promise<'settled' | 'failed'> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), renewalMs);
    let outcome: 'settled' | 'failed' = 'settled';
    try {
      await session.request('resources/subscribe', { uri }, { signal: deadline.signal });
      if (this.#wanted.has(uri)) this.add(uri, session);
    } catch (error) {
      if (!session.isOpen) return 'failed';
      if (isUnknownResource(error)) this.delete(uri);
      else outcome = 'failed'; // it may pass, and who wants to be told still does
    } finally {
      clearTimeout(timer);
    }
    this.#options.onResourceUpdated(uri);
    return outcome;
  }
}

function isUnknownResource(error: unknown): boolean {
  return isManagerError(error) && error.rpc !== undefined && unknownResource.has(error.rpc.code);
}
