import { pause, unlessAborted } from '@x/internal/async';
import type { CallHandler } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import { isRecord } from '@x/internal/json';
import { type GatewayUpstream, type ReportProblem, reasonOf, rpcErrorOf } from '../upstream.js';

const AT_A_TIME = 8;

interface Held {
  count: number;
  /** Settles when the server has accepted the subscription. */
  opened: Promise<void>;
  /** Settles after the last request. Never rejects. */
  settled: Promise<void>;
}

interface SubscriptionOptions {
  /** Ends the wait, and releases this subscription alone. */
  readonly signal: AbortSignal;
  /** Call handler of the first subscriber. */
  readonly handler?: CallHandler;
  /** Call handler of the last subscriber. */
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
  async subscribe(
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

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

/**
 * Retries work that was refused for lack of room, at the server or by the gateway's limits.
 *
 * @throws Other failures of the work; the signal's reason.
 */
export async function untilAdmitted(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    signal.throwIfAborted();
    try {
      await work();
      return;
    } catch (cause) {
      if (!isForLater(cause)) throw cause;
      await pause(retryAfterMs(cause) ?? waitMs, signal);
    }
  }
}

function isForLater(cause: unknown): boolean {
  const data = rpcErrorOf(cause)?.data;
  return reasonOf(cause) === 'busy' || (isRecord(data) && data.reason === 'rate-limited');
}

function retryAfterMs(cause: unknown): number | undefined {
  const data = rpcErrorOf(cause)?.data ?? cause;
  const given = isRecord(data) ? data.retryAfterMs : undefined;
  return typeof given === 'number' && given >= 0 ? Math.min(given, LONGEST_WAIT_MS) : undefined;
}

/** Runs work with limited concurrency, in order of arrival. */
class Lane {
  readonly #atATime: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atATime: number) {
    this.#atATime = atATime;
  }

  async run(work: () => Promise<void>): Promise<void> {
    if (this.#running >= this.#atATime) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}

/** Subscriptions per connection or change stream. */
export const MAX_PER_STREAM = 1_000;
/** Over all connections and streams of a caller. */
export const MAX_PER_CALLER = 4_000;
/** In UTF-16 code units. */
export const MAX_URI_LENGTH = 8 * 1024;

/** Subscriptions take memory even if the resource does not exist. */
export class SubscriptionShares {
  readonly #used = new Map<string, number>();

  /** Returns `false` if the limit is reached. */
  acquire(owner: string): boolean {
    const taken = this.#used.get(owner) ?? 0;
    if (taken >= MAX_PER_CALLER) return false;
    this.#used.set(owner, taken + 1);
    return true;
  }

  release(owner: string): void {
    const left = (this.#used.get(owner) ?? 0) - 1;
    if (left > 0) this.#used.set(owner, left);
    else this.#used.delete(owner);
  }

  /** Returns the URIs, without duplicates, that fit into a new stream. */
  fitting(owner: string, uris: readonly unknown[]): readonly string[] {
    const room = Math.min(MAX_PER_STREAM, MAX_PER_CALLER - (this.#used.get(owner) ?? 0));
    const fit = uris.filter((uri): uri is string => typeof uri === 'string' && uri.length <= MAX_URI_LENGTH);
    return Array.from(new Set(fit)).slice(0, Math.max(room, 0));
  }
}
