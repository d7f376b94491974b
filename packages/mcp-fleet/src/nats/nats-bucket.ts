import {
  DiscardPolicy,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { pause } from '@x/internal/async';
import { checkSubject } from '../bus/subject.js';
import type { BucketEntry, BucketWatcher, FleetBucket, WriteOptions } from '../bus.js';
import { FleetError } from '../errors.js';
import { bounded, type Connected } from './bounded.js';
import { type BucketSession, BucketWatch } from './bucket-watch.js';
import { hasCode, isTimeoutError, isUndelivered, WRONG_LAST_SEQUENCE } from './failure.js';
import type { NatsSettings } from './options.js';
import { plainBytes } from './plain-bytes.js';

/** Limit of a new bucket in bytes: keys of about 300 000 tools. */
export const MAX_BUCKET_BYTES = 32 * 1024 * 1024;

const STREAM_NOT_FOUND = [10059];
const STREAM_NAME_IN_USE = [10058];
/** Error for a subject of another stream. Of two nodes that create the stream at once, the second gets it, too. */
const SUBJECTS_OVERLAP = [10065];
const NOT_NOW = [10008, 10023];
const RETRY_PAUSE_MS = 100;
/** First timeout of a request in milliseconds; doubles with each attempt. */
const FIRST_TIMEOUT_MS = 500;

export class NatsBucket implements FleetBucket {
  readonly #settings: NatsSettings;
  readonly #connectedFor: (what: string) => Connected;
  readonly #watches = new Set<BucketWatch>();
  readonly #lifetime: AbortSignal;
  #session: BucketSession | undefined;

  constructor(settings: NatsSettings, connectedFor: (what: string) => Connected, lifetime: AbortSignal) {
    this.#settings = settings;
    this.#connectedFor = connectedFor;
    this.#lifetime = lifetime;
  }

  async put(key: string, value: Uint8Array, { revision, signal }: WriteOptions = {}): Promise<number> {
    checkSubject(key, 'key');
    const copy = new Uint8Array(value);
    return this.#request(`write ${key}`, signal, copy.byteLength, ({ kv }) => {
      if (revision === 0) return create(kv, key, copy);
      return kv.put(key, copy, revision === undefined ? {} : { previousSeq: revision });
    });
  }

  async get(
    key: string,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<BucketEntry | undefined> {
    checkSubject(key, 'key');
    const entry = await this.#request(`read ${key}`, signal, 0, ({ kv }) => kv.get(key));
    if (entry === null || entry.operation !== 'PUT') return undefined;
    return { key, value: plainBytes(entry.value), revision: entry.revision, writtenAtMs: entry.created.getTime() };
  }

  async delete(key: string, { revision, signal }: WriteOptions = {}): Promise<void> {
    checkSubject(key, 'key');
    await this.#request(`delete ${key}`, signal, 0, async ({ kv }) => {
      if (revision !== 0) return kv.delete(key, revision === undefined ? {} : { previousSeq: revision });
      const entry = await kv.get(key);
      if (entry?.operation === 'PUT') throw new FleetError('conflict', `Could not delete ${key}: it has a value`);
    });
  }

  async watch(
    watcher: BucketWatcher,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Disposable> {
    const what = 'watch the bucket';
    signal?.throwIfAborted();
    const session = this.#sessionFor(what);
    const watch = new BucketWatch(this.#settings, watcher, {
      ensure: (connected) => this.#ensureStream(connected),
    });
    this.#watches.add(watch);
    try {
      const signals = [signal, this.#lifetime];
      await bounded(session.connected, () => watch.open(session), { what, signals });
    } catch (error) {
      this.#watches.delete(watch);
      watch.stop();
      throw error;
    }
    return {
      [Symbol.dispose]: () => {
        this.#watches.delete(watch);
        watch.stop();
      },
    };
  }

  /** Creates the bucket if it is missing, and uses this connection from then on. */
  async prepare(connected: Connected): Promise<void> {
    await this.#ensureStream(connected);
    const { names, requestTimeoutMs } = this.#settings;
    const client = jetstream(connected.nats, { apiPrefix: names.apiPrefix, timeout: requestTimeoutMs });
    const manager = await client.jetstreamManager(false);
    const kv = await new Kvm(client).open(names.bucket, { allow_direct: false });
    this.#session = { connected, jetstream: client, manager, kv };
  }

  onConnected(): void {
    const session = this.#session;
    for (const watch of this.#watches) if (session !== undefined) watch.begin(session);
  }

  onDisconnected(): void {
    for (const watch of this.#watches) watch.pause();
  }

  close(): void {
    for (const watch of this.#watches) watch.stop();
    this.#watches.clear();
  }

  async #request<Result>(
    what: string,
    signal: AbortSignal | undefined,
    bytes: number,
    request: (session: BucketSession) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const session = this.#sessionFor(what);
    this.#assertFits(session, what, bytes);
    const timeoutMs = this.#settings.requestTimeoutMs;
    const over = new AbortController();
    const bounds = { what, timeoutMs, signals: [signal, this.#lifetime] };
    try {
      return await bounded(session.connected, () => this.#requestUntilReceived(session, request, over.signal), bounds);
    } finally {
      over.abort('settled');
    }
  }

  /** Repeats requests that no server received: the bucket was lost, or the cluster is electing a leader. */
  async #requestUntilReceived<Result>(
    session: BucketSession,
    request: (session: BucketSession) => Promise<Result>,
    over: AbortSignal,
  ): Promise<Result> {
    for (;;) {
      try {
        return await request(session);
      } catch (error) {
        if (!isUndelivered(error) && !hasCode(error, STREAM_NOT_FOUND)) throw error;
      }
      await this.#ensureStream(session.connected).catch((error: unknown) => {
        if (!isUndelivered(error)) throw error;
      });
      await pause(RETRY_PAUSE_MS, over);
    }
  }

  #sessionFor(what: string): BucketSession {
    const connected = this.#connectedFor(what);
    const session = this.#session;
    if (session?.connected === connected) return session;
    throw new FleetError('bus-down', `Could not ${what}: the bus is still connecting`);
  }

  // The expected revision is sent in headers, which count towards the server's limit.
  #assertFits({ connected }: BucketSession, what: string, bytes: number): void {
    const most = (connected.nats.info?.max_payload ?? Number.POSITIVE_INFINITY) - HEADER_BYTES;
    if (bytes <= most) return;
    const sizes = `the value has ${bytes} bytes, and the NATS server takes ${most}`;
    throw new FleetError('message-too-large', `Could not ${what}: ${sizes}`);
  }

  async #ensureStream(connected: Connected): Promise<void> {
    const { names, storage, replicas, requestTimeoutMs } = this.#settings;
    const what = `open the bucket ${names.bucket}`;
    const bounds = { what, timeoutMs: requestTimeoutMs, signals: [this.#lifetime] };
    const open = async (manager: JetStreamManager) => {
      try {
        await manager.streams.info(names.stream);
      } catch (error) {
        if (!hasCode(error, STREAM_NOT_FOUND)) throw error;
        await manager.streams.add(streamConfig(names, storage, replicas)).catch(async (failure: unknown) => {
          if (hasCode(failure, STREAM_NAME_IN_USE)) return;
          if (!hasCode(failure, SUBJECTS_OVERLAP)) throw failure;
          await manager.streams.info(names.stream).catch(() => {
            throw failure;
          });
        });
      }
    };
    await bounded(connected, () => this.#requestUntilAnswered(connected, open), bounds).catch((error: unknown) => {
      throw isRefusal(error) ? new FleetError('unsuitable-bus', (error as Error).message, { cause: error }) : error;
    });
  }

  /** Repeats a request with growing timeouts: a cluster without a leader does not reply, not even later. */
  async #requestUntilAnswered(
    connected: Connected,
    request: (manager: JetStreamManager) => Promise<void>,
  ): Promise<void> {
    const { names, requestTimeoutMs } = this.#settings;
    const options = { apiPrefix: names.apiPrefix, checkAPI: false };
    for (let timeoutMs = FIRST_TIMEOUT_MS; ; timeoutMs *= 2) {
      const isLast = timeoutMs >= requestTimeoutMs;
      const timeout = isLast ? requestTimeoutMs : timeoutMs;
      try {
        return await request(await jetstreamManager(connected.nats, { ...options, timeout }));
      } catch (error) {
        if (isLast || !isTimeoutError(error)) throw error;
      }
    }
  }
}

const HEADER_BYTES = 128;

/**
 * Like the stream that NATS clients create for a bucket, but without rollups, because one could delete all keys, and
 * without direct reads, because only the leader has the newest value.
 */
function streamConfig(
  { stream, keyPrefix }: { readonly stream: string; readonly keyPrefix: string },
  storage: 'file' | 'memory',
  replicas: number,
) {
  return {
    name: stream,
    subjects: [`${keyPrefix}>`],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    max_msgs_per_subject: 1,
    max_bytes: MAX_BUCKET_BYTES,
    max_msg_size: -1,
    storage: storage === 'file' ? StorageType.File : StorageType.Memory,
    num_replicas: replicas,
    allow_rollup_hdrs: false,
    allow_direct: false,
  };
}

/** Writes a key that has no value. A deleted key still has a revision, which the write must name. */
async function create(kv: KV, key: string, value: Uint8Array): Promise<number> {
  try {
    return await kv.put(key, value, { previousSeq: 0 });
  } catch (error) {
    if (!hasCode(error, WRONG_LAST_SEQUENCE)) throw error;
    const entry = await kv.get(key);
    if (entry === null || entry.operation === 'PUT') throw error;
    return kv.put(key, value, { previousSeq: entry.revision });
  }
}

function isRefusal(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(error instanceof FleetError) || error.code !== 'bus-down') return false;
  return cause instanceof Error && cause.name === 'JetStreamApiError' && !hasCode(cause, NOT_NOW);
}
