import { unlessAborted } from '@x/internal/async';
import type { CallHandler } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import type { ReportProblem } from '../problems.js';
import { reasonOf } from '../rpc-error.js';
import type { GatewayUpstream } from '../upstream.js';
import { Lane } from './lane.js';
import { untilAdmitted } from './until-admitted.js';

const AT_A_TIME = 8;

interface Held {
  count: number;
  /** Settles when the server has accepted the subscription. */
  opened: Promise<void>;
  /** Settles after the last request. Never rejects. */
  settled: Promise<void>;
}

export interface SubscriptionOptions {
  /** Ends the wait, and releases this subscription alone. */
  readonly signal: AbortSignal;
  /** Of the first subscriber. */
  readonly handler?: CallHandler;
  /** Of the last subscriber. */
  readonly lastHandler?: CallHandler;
}

/** Subscriptions at servers, shared by all clients: each resource once. */
export class Subscriptions {
  readonly #held = new Map<string, Held>();
  readonly #lanes = new WeakMap<GatewayUpstream, Lane>();
  readonly #lifetime = new AbortController();
  readonly #onProblem: ReportProblem;

  constructor(onProblem: ReportProblem) {
    this.#onProblem = onProblem;
  }

  /**
   * Subscribes until the result is disposed. Resolves when the server has accepted it.
   *
   * @throws The error of the server; the signal's reason if it aborts first.
   */
  async hold(
    upstream: GatewayUpstream,
    uri: string,
    { signal, handler, lastHandler }: SubscriptionOptions,
  ): Promise<Disposable> {
    const key = JSON.stringify([upstream.name, uri]);
    const held = this.#held.get(key) ?? { count: 0, opened: Promise.resolve(), settled: Promise.resolve() };
    this.#held.set(key, held);
    if (held.count++ === 0) {
      held.opened = held.settled.then(() =>
        upstream.subscribeResource(uri, { signal: this.#lifetime.signal, handler }),
      );
      held.settled = held.opened.catch(() => undefined); // the waiting caller gets the error
    }
    let isOver = false;
    const release = () => {
      if (isOver) return;
      isOver = true;
      this.#release(key, held, () => this.#unsubscribe(upstream, uri, lastHandler));
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

  close(): void {
    this.#lifetime.abort(new Error('The gateway is closed'));
  }

  /** A disconnected client may have had many, so servers get a few at a time. */
  #unsubscribe(upstream: GatewayUpstream, uri: string, handler: CallHandler | undefined): Promise<void> {
    const lane = this.#lanes.get(upstream) ?? new Lane(AT_A_TIME);
    this.#lanes.set(upstream, lane);
    const { signal } = this.#lifetime;
    return lane.run(() => untilAdmitted(() => upstream.unsubscribeResource(uri, { handler }), signal));
  }

  #release(key: string, held: Held, unsubscribe: () => Promise<void>): void {
    if (--held.count > 0) return;
    held.settled = held.opened.then(
      () => (held.count === 0 ? unsubscribe() : undefined),
      () => undefined,
    );
    held.settled = held.settled
      .catch((cause) => {
        if (this.#lifetime.signal.aborted) return; // the servers are released with everything else
        const [server = '', uri = ''] = JSON.parse(key) as string[];
        const message = `Server "${server}" did not end the subscription to ${uri}: ${messageOf(cause)}`;
        this.#onProblem({ code: 'subscription-failed', server, reason: reasonOf(cause), message, cause });
      })
      .then(() => {
        if (held.count === 0 && this.#held.get(key) === held) this.#held.delete(key);
      });
  }
}
