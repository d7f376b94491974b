import type { AsyncDisposable, Disposable } from '@x/internal/contracts';
import type { FleetError } from './errors.js';

/**
 * What a fleet needs of a message bus. The fleet owns this contract: `@x/mcp-fleet/memory` and `@x/mcp-fleet/nats` fit,
 * and one suite of tests holds for every driver.
 *
 * Subjects are tokens of `A-Z a-z 0-9 _ - =`, joined by dots. A driver puts its own prefix before them.
 */
export interface FleetBus extends AsyncDisposable {
  /** Whether the bus can be reached right now. */
  readonly isConnected: boolean;
  /**
   * Why it cannot be reached, as far as the last attempt tells: `bus-down`, `forbidden` (it does not let this node in, or
   * not do what the bus takes), `unsuitable-bus`, `closed`. `undefined` while it is connected.
   */
  readonly failure: FleetError | undefined;
  /** Longest `data` of one message in bytes. */
  readonly maxPayloadBytes: number;
  /** The keys of the fleet, with the bus's promise that of two writers who expect the same revision one succeeds. */
  readonly bucket: FleetBucket;
  /** Calls `listener` for each event from now on. */
  onEvent(listener: (event: BusEvent) => void): Disposable;
  /**
   * Sends one message, in order with the others of this bus. Nothing is kept for a bus that cannot be reached, and a
   * message without listeners is lost; with `replyTo`, that is told there (`hasNoResponders`).
   *
   * @throws {FleetError} `bus-down`, `message-too-large`, `closed`; at once.
   */
  publish(subject: string, data: Uint8Array, options?: { readonly replyTo?: string }): void;
  /**
   * Listens on a subject until disposed; a reconnect does not end it. `*` stands for one token, `>` at the end for all
   * that follow. A listener that throws ends nothing; what it threw is reported as uncaught.
   *
   * @throws {FleetError} `closed`.
   */
  subscribe(subject: string, listener: (message: BusMessage) => void): Disposable;
  /**
   * Settles when the bus has everything that was sent and subscribed before.
   *
   * @throws {FleetError} `bus-down`, `closed`; or the signal's reason.
   */
  flush(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /**
   * Ends the connection, after the bus was told that nobody listens here any more, if it answers soon. A second call joins
   * the first.
   */
  close(): Promise<void>;
}

/** What happens to a bus beside messages. */
export type BusEvent =
  /** The bus can be reached again. Watches of the bucket tell everything anew. */
  | { readonly type: 'connected' }
  | { readonly type: 'disconnected' }
  /** An attempt to reach the bus has failed. It is tried again. */
  | { readonly type: 'failed'; readonly error: FleetError }
  /**
   * The bus forbade something to this node. Of a `write`, `subject` is the key. What the driver itself sends or listens to
   * beside the fleet's messages has its whole subject, such as `$JS.API.…` of NATS.
   */
  | { readonly type: 'forbidden'; readonly operation: 'publish' | 'subscribe' | 'write'; readonly subject: string }
  /** The bus is gone for good, by `close` or, with `error`, by itself. */
  | { readonly type: 'closed'; readonly error?: Error };

/** One message, as its listener gets it. */
export interface BusMessage {
  /** Without the driver's prefix. */
  readonly subject: string;
  readonly data: Uint8Array;
  readonly replyTo?: string | undefined;
  /** Nobody listens on the subject to which this node has sent a message that is to be answered here. `data` is empty. */
  readonly hasNoResponders: boolean;
}

/** One bucket of keys, each a subject's text. Its promises hold over all nodes. */
export interface FleetBucket {
  /**
   * Writes a value.
   *
   * @param options.revision - Write only if this is the key's newest revision; `0`: only if the key has no value. Left
   *   out, whatever is there is replaced.
   * @returns The key's new revision: greater than each earlier one of the same key, until a broker loses the whole bucket.
   * @throws {FleetError} `conflict` (another revision is there), `forbidden`, `message-too-large` (some bytes of
   *   `maxPayloadBytes` may be taken by the revision), `unsuitable-bus`; `bus-down`, `closed` or the signal's reason, and
   *   then the value may have been written, if the bus was connected when it was asked.
   */
  put(key: string, value: Uint8Array, options?: WriteOptions): Promise<number>;
  /** What the key holds; `undefined` when nothing. @throws {FleetError} `bus-down`, `closed`; or the signal's reason. */
  get(key: string, options?: { readonly signal?: AbortSignal }): Promise<BucketEntry | undefined>;
  /** Takes the value away. Throws as `put`. */
  delete(key: string, options?: WriteOptions): Promise<void>;
  /**
   * Tells what is in the bucket: `onStart`, each key that has a value in the order in which these were written,
   * `onCurrent`, then each change in order. After each reconnect, and whenever a change may have been
   * missed, all of it comes again, from `onStart` on: what was not told before `onCurrent` is no longer there.
   *
   * @returns Settles after the first `onCurrent`. Dispose of it to stop.
   * @throws {FleetError} `bus-down`, `forbidden`, `closed`; or the signal's reason.
   */
  watch(watcher: BucketWatcher, options?: { readonly signal?: AbortSignal }): Promise<Disposable>;
}

/** How one key is written. */
export interface WriteOptions {
  readonly revision?: number;
  readonly signal?: AbortSignal;
}

/** Who is told what a bucket holds. */
export interface BucketWatcher {
  /** All that is in the bucket follows: at first, and again whenever the watch had to begin anew. */
  onStart(): void;
  /** One key: what it holds, or that it holds nothing any more. */
  onEntry(entry: BucketChange): void;
  /** What was in the bucket has been told; changes follow. */
  onCurrent(): void;
}

/** A key and what it holds. */
export interface BucketEntry {
  readonly key: string;
  readonly value: Uint8Array;
  readonly revision: number;
  /** When it was written, in milliseconds of the bus's own clock: to be compared with other entries only. */
  readonly writtenAtMs: number;
}

/** An entry, or that there is none any more. */
export type BucketChange = BucketEntry | (Omit<BucketEntry, 'value'> & { readonly value: undefined });
