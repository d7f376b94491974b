import type { AsyncDisposable, Disposable } from '@x/internal/contracts';
import type { FleetError } from './errors.js';

/**
 * Message bus of a fleet. `@x/mcp-fleet/memory` and `@x/mcp-fleet/nats` implement it.
 *
 * Subjects are tokens of `A-Z a-z 0-9 _ - =`, joined by dots. A driver adds its own prefix.
 */
export interface FleetBus extends AsyncDisposable {
  readonly isConnected: boolean;
  /**
   * Reason of the last failed attempt: `bus-down`, `forbidden` (the login or a required operation is refused),
   * `unsuitable-bus`, `closed`. `undefined` while connected.
   */
  readonly failure: FleetError | undefined;
  /** Longest `data` of one message in bytes. */
  readonly maxPayloadBytes: number;
  /** Key-value store of the fleet. Of two writers that expect the same revision, exactly one succeeds. */
  readonly bucket: FleetBucket;
  /** Calls `listener` after each event until disposed. */
  onEvent(listener: (event: BusEvent) => void): Disposable;
  /**
   * Sends one message, in order. A message without subscribers is lost; with `replyTo`, the sender receives
   * `hasNoResponders` there.
   *
   * @throws {FleetError} `bus-down` (nothing is queued), `message-too-large`, `closed`; synchronously.
   */
  publish(subject: string, data: Uint8Array, options?: { readonly replyTo?: string | undefined }): void;
  /**
   * Subscribes until disposed, across reconnects. `*` matches one token, a final `>` matches all that follow. An error
   * of the listener is reported as uncaught.
   *
   * @throws {FleetError} `closed`.
   */
  subscribe(subject: string, listener: (message: BusMessage) => void): Disposable;
  /**
   * Resolves once the bus has processed everything sent and subscribed before.
   *
   * @throws {FleetError} `bus-down`, `closed`; or the signal's reason.
   */
  flush(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /**
   * Ends subscriptions and connection, without a long wait for a silent bus. A second call returns the first promise.
   */
  close(): Promise<void>;
}

/** A change of the connection to the bus. */
export type BusEvent =
  /** The bus is reachable again. Watches of the bucket start over. */
  | { readonly type: 'connected' }
  | { readonly type: 'disconnected' }
  /** An attempt to connect failed. The driver retries. */
  | { readonly type: 'failed'; readonly error: FleetError }
  /**
   * The bus refused an operation of this node. `subject` is the key for a `write`, and the whole subject for the
   * driver's own traffic, such as `$JS.API.…`.
   */
  | { readonly type: 'forbidden'; readonly operation: 'publish' | 'subscribe' | 'write'; readonly subject: string }
  /** The bus has ended for good: by `close`, or with `error` otherwise. */
  | { readonly type: 'closed'; readonly error?: Error };

/** A message on the bus. */
export interface BusMessage {
  /** Excludes the driver's prefix. */
  readonly subject: string;
  readonly data: Uint8Array;
  readonly replyTo?: string | undefined;
  /** True for a notice, with empty `data`, that the request sent with this reply subject had no subscriber. */
  readonly hasNoResponders: boolean;
}

/** Bucket of keys, each written like a subject. Its guarantees hold across all nodes. */
export interface FleetBucket {
  /**
   * Writes a value.
   *
   * @param options.revision - Expected newest revision of the key; `0` expects no value. Default: overwrite.
   * @returns New revision of the key, greater than all earlier ones until a broker loses the whole bucket.
   * @throws {FleetError} `conflict` (the revision differs), `forbidden`, `message-too-large` (the revision may use some
   *   bytes of `maxPayloadBytes`), `unsuitable-bus`. After `bus-down`, `closed` or the signal's reason, a bus that was
   *   connected at the call may have written the value.
   */
  put(key: string, value: Uint8Array, options?: WriteOptions): Promise<number>;
  /**
   * Value of a key, if it has one.
   *
   * @throws {FleetError} `bus-down`, `closed`; or the signal's reason.
   */
  get(key: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<BucketEntry | undefined>;
  /** Deletes the value. Throws like `put`. */
  delete(key: string, options?: WriteOptions): Promise<void>;
  /**
   * Reports the contents of the bucket: `onStart`, each key with a value in the order of their writes, `onCurrent`,
   * then each change in order. Starts over after each reconnect and after each gap; keys that are not reported before
   * `onCurrent` no longer exist.
   *
   * @returns Resolves after the first `onCurrent`. Dispose of it to stop.
   * @throws {FleetError} `bus-down`, `forbidden`, `closed`; or the signal's reason.
   */
  watch(watcher: BucketWatcher, options?: { readonly signal?: AbortSignal | undefined }): Promise<Disposable>;
}

/** Options of a write to a bucket. */
export interface WriteOptions {
  readonly revision?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Receives the entries and changes of a bucket. */
export interface BucketWatcher {
  /** Begins a report of the whole bucket: the first one, or one after a gap. */
  onStart(): void;
  /** Value of one key, or its deletion. */
  onEntry(entry: BucketChange): void;
  /** Ends the report; changes follow. */
  onCurrent(): void;
}

/** One key of a bucket, with its value. */
export interface BucketEntry {
  readonly key: string;
  readonly value: Uint8Array;
  readonly revision: number;
  /** Time of the write in milliseconds on the bus's clock. Comparable only with other entries. */
  readonly writtenAtMs: number;
}

/** A change of one key in a bucket. */
export type BucketChange = BucketEntry | (Omit<BucketEntry, 'value'> & { readonly value: undefined });
