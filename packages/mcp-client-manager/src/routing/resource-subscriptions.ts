import { isManagerError } from '../errors.js';
import type { Session } from '../session/session.js';
import type { Supervisor } from '../supervisor/supervisor.js';

const renewalMs = 30_000;
/** The code before revision 2026-07-28, and the code since. */
const unknownResource: ReadonlySet<number> = new Set([-32_002, -32_602]);

interface ResourceSubscriptionsOptions {
  readonly supervisor: Supervisor;
  readonly onResourceUpdated: (uri: string) => void;
}

/** Resource subscriptions of one server, renewed in each new process or session. */
export class ResourceSubscriptions {
  readonly #options: ResourceSubscriptionsOptions;
  readonly #accepted = new Map<string, WeakRef<Session>>();
  #renewing: Session | undefined;

  constructor(options: ResourceSubscriptionsOptions) {
    this.#options = options;
  }

  add(uri: string, session: Session): void {
    this.#accepted.set(uri, new WeakRef(session));
  }

  delete(uri: string): void {
    this.#accepted.delete(uri);
  }

  /** Call it when the server may have a new session. Never rejects. */
  async renew(): Promise<void> {
    const session = this.#options.supervisor.readySession;
    if (!session || this.#accepted.size === 0 || session === this.#renewing) return;
    this.#renewing = session;
    let hasFailed = false;
    for (const [uri, acceptedBy] of [...this.#accepted]) {
      if (acceptedBy.deref() === session) continue;
      hasFailed = (await this.#renewOne(uri, session)) === 'failed' || hasFailed;
      if (!session.isOpen) return;
    }
    if (hasFailed && this.#renewing === session) this.#renewing = undefined;
  }

  /** Emits an update after each renewal: changes may have been missed. */
  async #renewOne(uri: string, session: Session): Promise<'settled' | 'failed'> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), renewalMs);
    let outcome: 'settled' | 'failed' = 'settled';
    try {
      await session.request('resources/subscribe', { uri }, { signal: deadline.signal });
      if (this.#accepted.has(uri)) this.add(uri, session);
    } catch (error) {
      if (!session.isOpen) return 'failed';
      if (isUnknownResource(error)) this.delete(uri);
      else outcome = 'failed';
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
