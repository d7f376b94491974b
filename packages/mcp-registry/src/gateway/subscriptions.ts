import { messageOf } from '../errors.js';
import type { ReportProblem } from './problems.js';
import { reasonOf } from './rpc-error.js';
import type { GatewayUpstream } from './upstream.js';
import { unlessAborted } from './within.js';

interface Held {
  count: number;
  /** Settles when the server has taken the subscription, as far as it was asked. */
  opened: Promise<void>;
  /** Settles when the server has nothing more to do about it. Never rejects. */
  settled: Promise<void>;
}

/** What servers are subscribed to for all clients: each resource once, as long as any of them wants it. */
export class Subscriptions {
  readonly #held = new Map<string, Held>();
  readonly #lifetime = new AbortController();
  readonly #onProblem: ReportProblem;

  constructor(onProblem: ReportProblem) {
    this.#onProblem = onProblem;
  }

  /**
   * Subscribes to a resource until the result is disposed of. Waits until the server has taken it.
   *
   * @throws what the server has refused it with; the reason of a signal that aborts meanwhile.
   */
  async hold(upstream: GatewayUpstream, uri: string, ...signals: AbortSignal[]): Promise<Disposable> {
    const key = JSON.stringify([upstream.name, uri]);
    const held = this.#held.get(key) ?? { count: 0, opened: Promise.resolve(), settled: Promise.resolve() };
    this.#held.set(key, held);
    if (held.count++ === 0) {
      held.opened = held.settled.then(() => upstream.subscribeResource(uri, { signal: this.#lifetime.signal }));
      held.settled = held.opened.catch(() => undefined); // told to whoever waits for it
    }
    let isOver = false;
    const release = () => {
      if (isOver) return;
      isOver = true;
      this.#release(key, held, () => upstream.unsubscribeResource(uri, {}));
    };
    try {
      await unlessAborted(held.opened, ...signals);
    } catch (error) {
      release();
      throw error;
    }
    return {
      [Symbol.dispose]: release,
    };
  }

  /** What no server has answered by now is given up. To be called when nobody holds anything any more. */
  close(): void {
    this.#lifetime.abort(new Error('The gateway is closed'));
  }

  #release(key: string, held: Held, unsubscribe: () => Promise<void>): void {
    if (--held.count > 0) return;
    held.settled = held.opened.then(
      () => (held.count === 0 ? unsubscribe() : undefined),
      () => undefined, // there is nothing to take back
    );
    held.settled = held.settled
      .catch((cause) => {
        const [server = '', uri = ''] = JSON.parse(key) as string[];
        const message = `Server "${server}" did not end the subscription to ${uri}: ${messageOf(cause)}`;
        this.#onProblem({ code: 'subscription-failed', server, reason: reasonOf(cause), message, cause });
      })
      .then(() => {
        if (held.count === 0 && this.#held.get(key) === held) this.#held.delete(key);
      });
  }
}
