import { unlessAborted } from '@x/internal/async';
import type { CallHost } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import type { ReportProblem } from '../problems.js';
import { reasonOf } from '../rpc-error.js';
import type { GatewayUpstream } from '../upstream.js';
import { Lane } from './lane.js';
import { untilAdmitted } from './until-admitted.js';

const AT_A_TIME = 8;

interface Held {
  count: number;
  /** Settles when the server has taken the subscription, as far as it was asked. */
  opened: Promise<void>;
  /** Settles when the server has nothing more to do about it. Never rejects. */
  settled: Promise<void>;
}

export interface SubscriptionOptions {
  /** Ends the wait, and what is held with it. Of this subscription alone. */
  readonly signal: AbortSignal;
  /** For whom a server is asked that nobody else has asked yet. */
  readonly host?: CallHost;
  /** For whom it is told that nobody wants the resource any more, if this is the last one to go. */
  readonly lastHost?: CallHost;
}

/** What servers are subscribed to for all clients: each resource once, as long as any of them wants it. */
export class Subscriptions {
  readonly #held = new Map<string, Held>();
  readonly #lanes = new WeakMap<GatewayUpstream, Lane>();
  readonly #lifetime = new AbortController();
  readonly #onProblem: ReportProblem;

  constructor(onProblem: ReportProblem) {
    this.#onProblem = onProblem;
  }

  /**
   * Subscribes to a resource until the result is disposed of. Waits until the server has taken it.
   *
   * @throws what the server has refused it with; the reason of the signal if it aborts meanwhile.
   */
  async hold(
    upstream: GatewayUpstream,
    uri: string,
    { signal, host, lastHost }: SubscriptionOptions,
  ): Promise<Disposable> {
    const key = JSON.stringify([upstream.name, uri]);
    const held = this.#held.get(key) ?? { count: 0, opened: Promise.resolve(), settled: Promise.resolve() };
    this.#held.set(key, held);
    if (held.count++ === 0) {
      held.opened = held.settled.then(() => upstream.subscribeResource(uri, { signal: this.#lifetime.signal, host }));
      held.settled = held.opened.catch(() => undefined); // told to whoever waits for it
    }
    let isOver = false;
    const release = () => {
      if (isOver) return;
      isOver = true;
      this.#release(key, held, () => this.#unsubscribe(upstream, uri, lastHost));
    };
    try {
      await unlessAborted(held.opened, signal);
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

  /** A client that goes may have had many: servers are told of a few at a time, and again where they were too busy. */
  #unsubscribe(upstream: GatewayUpstream, uri: string, host: CallHost | undefined): Promise<void> {
    const lane = this.#lanes.get(upstream) ?? new Lane(AT_A_TIME);
    this.#lanes.set(upstream, lane);
    const { signal } = this.#lifetime;
    return lane.run(() => untilAdmitted(() => upstream.unsubscribeResource(uri, { host }), signal));
  }

  #release(key: string, held: Held, unsubscribe: () => Promise<void>): void {
    if (--held.count > 0) return;
    held.settled = held.opened.then(
      () => (held.count === 0 ? unsubscribe() : undefined),
      () => undefined, // there is nothing to take back
    );
    held.settled = held.settled
      .catch((cause) => {
        if (this.#lifetime.signal.aborted) return; // the servers are let go of with everything else
        const [server = '', uri = ''] = JSON.parse(key) as string[];
        const message = `Server "${server}" did not end the subscription to ${uri}: ${messageOf(cause)}`;
        this.#onProblem({ code: 'subscription-failed', server, reason: reasonOf(cause), message, cause });
      })
      .then(() => {
        if (held.count === 0 && this.#held.get(key) === held) this.#held.delete(key);
      });
  }
}
