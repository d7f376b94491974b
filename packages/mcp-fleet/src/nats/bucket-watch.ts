import {
  AckPolicy,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  type PushConsumer,
} from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import { createInbox, nanos, nuid } from '@nats-io/transport-node';
import { pause } from '@x/internal/async';
import { callListener } from '@x/internal/events';
import type { BucketWatcher } from '../bus.js';
import { bounded, type Connected } from './bounded.js';
import type { NatsSettings } from './options.js';
import { plainBytes } from './plain-bytes.js';

export interface BucketSession {
  readonly connected: Connected;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly kv: KV;
}

interface BucketKeeper {
  ensure(connected: Connected): Promise<unknown>;
}

interface OpenConsumer {
  readonly consumer: PushConsumer;
  readonly keys: number;
}

/** Shortest interval of idle heartbeats that the NATS server accepts. */
const SHORTEST_HEARTBEAT_MS = 100;
/**
 * Longest interval of idle heartbeats: in a cluster, the server of the consumer may fail while this node's connection
 * lives.
 */
const LONGEST_HEARTBEAT_MS = 1000;
/** First timeout for creating a consumer; grows up to `requestTimeoutMs`. */
const FIRST_TIMEOUT_MS = 300;
const FIRST_DELAY_MS = 100;
/** Time after which the server drops an unused consumer. */
const INACTIVE_AFTER_MS = 60_000;
const LONGEST_DELAY_MS = 5000;

/**
 * Reports the bucket and its changes. Starts over with each connection, after a gap, and when the server dropped the
 * consumer.
 */
export class BucketWatch {
  readonly #settings: NatsSettings;
  readonly #watcher: BucketWatcher;
  readonly #keeper: BucketKeeper;
  #round = new AbortController();
  #isStopped = false;
  #onFirstCurrent: (() => void) | undefined;

  constructor(settings: NatsSettings, watcher: BucketWatcher, keeper: BucketKeeper) {
    this.#settings = settings;
    this.#watcher = watcher;
    this.#keeper = keeper;
  }

  open(session: BucketSession): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onFirstCurrent = resolve;
      const { signal } = this.#newRound();
      this.#report(session, signal).catch((error: unknown) => {
        // After an abort, a later round reports, or the aborting code has the error.
        if (!signal.aborted) reject(error);
      });
    });
  }

  begin(session: BucketSession): void {
    void this.#reportAgain(session, this.#newRound().signal);
  }

  pause(): void {
    this.#round.abort();
  }

  stop(): void {
    this.#isStopped = true;
    this.#round.abort();
  }

  #newRound(): AbortController {
    this.#round.abort();
    this.#round = new AbortController();
    if (this.#isStopped) this.#round.abort();
    return this.#round;
  }

  async #reportAgain(session: BucketSession, signal: AbortSignal): Promise<void> {
    const { requestTimeoutMs } = this.#settings;
    let outages = 0;
    let tries = 0;
    while (!signal.aborted) {
      // Reads and writes report the failure; an open watch stays open and retries.
      try {
        await this.#keeper.ensure(session.connected);
      } catch {
        outages += 1;
        tries = 0;
        await pause(jittered(FIRST_DELAY_MS * 2 ** outages), signal).catch(() => undefined);
        continue;
      }
      try {
        await this.#report(session, signal, Math.min(requestTimeoutMs, FIRST_TIMEOUT_MS * 1.3 ** tries));
        return;
      } catch {
        tries += 1;
        await pause(jittered(FIRST_DELAY_MS * 1.3 ** tries), signal).catch(() => undefined);
      }
    }
  }

  async #report(
    session: BucketSession,
    signal: AbortSignal,
    timeoutMs = this.#settings.requestTimeoutMs,
  ): Promise<void> {
    const { connected } = session;
    const bounds = { what: 'watch the bucket', timeoutMs, signals: [signal] };
    const { consumer, keys } = await bounded(connected, () => this.#openConsumer(session), bounds);

    const again = () => {
      if (!signal.aborted) this.begin(session);
    };
    callListener('onStart', () => this.#watcher.onStart());
    let received = 0;
    let isCurrent = false;
    const reportCurrent = () => {
      if (isCurrent || signal.aborted) return;
      isCurrent = true;
      callListener('onCurrent', () => this.#watcher.onCurrent());
      this.#onFirstCurrent?.();
    };
    const messages = await consumer.consume({
      callback: (message) => {
        if (signal.aborted) return;
        received += 1;
        if (message.info.deliverySequence !== received) return again();
        this.#deliver(message, isCurrent);
        if (received >= keys || message.info.pending === 0) reportCurrent();
      },
    });
    signal.addEventListener('abort', () => void messages.close(), { once: true });
    if (signal.aborted) void messages.close();
    void follow(messages, { onIdle: reportCurrent, onLost: again });
    if (keys === 0) reportCurrent();
  }

  /** Creates a consumer. A cluster may assign it to a server that has just been lost. */
  async #openConsumer({ manager, jetstream }: BucketSession): Promise<OpenConsumer> {
    const { names, pingIntervalMs } = this.#settings;
    const heartbeatMs = Math.min(LONGEST_HEARTBEAT_MS, Math.max(SHORTEST_HEARTBEAT_MS, Math.ceil(pingIntervalMs)));
    const { name, num_pending: keys } = await manager.consumers.add(names.stream, {
      name: `${names.node}-${nuid.next()}`,
      filter_subject: `${names.keyPrefix}>`,
      deliver_policy: DeliverPolicy.LastPerSubject,
      deliver_subject: createInbox(names.inboxPrefix),
      ack_policy: AckPolicy.None,
      max_deliver: 1,
      flow_control: true,
      idle_heartbeat: nanos(heartbeatMs),
      inactive_threshold: nanos(INACTIVE_AFTER_MS),
      mem_storage: true,
      num_replicas: 1,
    });
    return { consumer: await jetstream.consumers.getPushConsumer(names.stream, name), keys };
  }

  #deliver(message: JsMsg, isCurrent: boolean): void {
    const key = message.subject.slice(this.#settings.names.keyPrefix.length);
    const isGone = (message.headers?.get('KV-Operation') ?? '') !== '';
    if (isGone && !isCurrent) return;
    const value = isGone ? undefined : plainBytes(message.data);
    const entry = { key, value, revision: message.seq, writtenAtMs: message.time.getTime() };
    callListener('onEntry', () => this.#watcher.onEntry(entry));
  }
}

function jittered(ms: number): number {
  return Math.min(LONGEST_DELAY_MS, ms) * (0.5 + Math.random());
}

// The server sends idle heartbeats only after the whole report.
async function follow(
  messages: ConsumerMessages,
  { onIdle, onLost }: { readonly onIdle: () => void; readonly onLost: () => void },
): Promise<void> {
  for await (const status of messages.status()) {
    if (status.type === 'heartbeat') onIdle();
    if (status.type === 'heartbeats_missed' || status.type === 'consumer_deleted') onLost();
  }
}
