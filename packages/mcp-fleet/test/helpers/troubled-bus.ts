import type { BucketWatcher, FleetBucket, FleetBus, WriteOptions } from '../../src/bus.js';
import { FleetError } from '../../src/errors.js';
import type { MemoryBus } from '../../src/memory/memory-bus.js';

/** A bus in memory whose bucket reports late, or loses writes or their confirmations, like a network. */
export class TroubledBus implements FleetBus {
  readonly inner: MemoryBus;
  readonly bucket: FleetBucket;
  /** What becomes of writes. */
  writes: 'fine' | 'lost' | 'late' | 'unconfirmed' | 'stuck' = 'fine';
  /** Keys that were written or deleted, in order. */
  readonly written: string[] = [];
  readonly #untold: (() => void)[] = [];
  /** Arrives right before the next write that is fine. */
  #underWay: (() => Promise<unknown>) | undefined;
  #isTelling = true;

  constructor(inner: MemoryBus) {
    this.inner = inner;
    const { bucket } = inner;
    this.bucket = {
      put: (key, value, options) => this.#write(key, () => bucket.put(key, value, options), options),
      delete: (key, options) => this.#write(key, () => bucket.delete(key, options), options),
      get: (key, options) => bucket.get(key, options),
      watch: (watcher, options) => bucket.watch(this.#late(watcher), options),
    };
  }

  get isConnected(): boolean {
    return this.inner.isConnected;
  }

  get failure(): FleetError | undefined {
    return this.inner.failure;
  }

  get maxPayloadBytes(): number {
    return this.inner.maxPayloadBytes;
  }

  onEvent: FleetBus['onEvent'] = (listener) => this.inner.onEvent(listener);
  publish: FleetBus['publish'] = (subject, data, options) => this.inner.publish(subject, data, options);
  subscribe: FleetBus['subscribe'] = (subject, listener) => this.inner.subscribe(subject, listener);
  flush: FleetBus['flush'] = (options) => this.inner.flush(options);

  /** Drops the messages of all later subscriptions. */
  deafen(): void {
    this.subscribe = (subject) => this.inner.subscribe(subject, () => undefined);
  }

  /** Holds back the reports of the bucket. */
  hush(): void {
    this.#isTelling = false;
  }

  tell(): void {
    this.#isTelling = true;
    for (const tell of this.#untold.splice(0)) tell();
  }

  disconnect(): void {
    this.#untold.length = 0;
    this.inner.disconnect();
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #write<Result>(key: string, write: () => Promise<Result>, options: WriteOptions = {}): Promise<Result> {
    this.written.push(key);
    if (this.writes === 'fine') {
      await this.#underWay?.();
      this.#underWay = undefined;
      return write();
    }
    if (this.writes === 'late') this.#underWay = write;
    if (this.writes === 'unconfirmed') await write();
    if (this.writes === 'stuck') await aborted(options.signal);
    throw new FleetError('bus-down', 'The write was not confirmed');
  }

  #late({ onStart, onEntry, onCurrent }: BucketWatcher): BucketWatcher {
    const tell = (what: () => void) => {
      if (this.#isTelling) what();
      else this.#untold.push(what);
    };
    return {
      onStart: () => tell(onStart),
      onEntry: (entry) => tell(() => onEntry(entry)),
      onCurrent: () => tell(onCurrent),
    };
  }
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const onAbort = () => reject(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
