import { withResolvers } from '@x/internal/async';
import { callListener } from '@x/internal/events';
import { checkSubject } from '../bus/subject.js';
import type { BucketChange, BucketEntry, BucketWatcher, FleetBucket, WriteOptions } from '../bus.js';
import { FleetError } from '../errors.js';
import type { BrokerCore } from './broker-core.js';
import { copyOf } from './key-store.js';

interface BucketOwner {
  assertUsable(what: string): void;
  assertFits(data: Uint8Array, what: string): void;
  mayWrite(key: string): boolean;
}

interface Watch {
  readonly watcher: BucketWatcher;
  /** Number of the current report; pending events of earlier reports are dropped. */
  round: number;
  opening: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
}

export class MemoryBucket implements FleetBucket {
  readonly #broker: BrokerCore;
  readonly #owner: BucketOwner;
  readonly #watches = new Set<Watch>();

  constructor(broker: BrokerCore, owner: BucketOwner) {
    this.#broker = broker;
    this.#owner = owner;
  }

  async put(key: string, value: Uint8Array, options: WriteOptions = {}): Promise<number> {
    checkSubject(key, 'key');
    this.#owner.assertFits(value, `the value of ${key}`);
    return this.#write(key, value, options);
  }

  async get(
    key: string,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<BucketEntry | undefined> {
    checkSubject(key, 'key');
    signal?.throwIfAborted();
    this.#owner.assertUsable(`the value of ${key}`);
    const newest = this.#broker.keys.get(key);
    return newest?.value === undefined ? undefined : copyOf(newest);
  }

  async delete(key: string, options: WriteOptions = {}): Promise<void> {
    checkSubject(key, 'key');
    this.#write(key, undefined, options);
  }

  async watch(
    watcher: BucketWatcher,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Disposable> {
    signal?.throwIfAborted();
    this.#owner.assertUsable('a watch');
    const { promise, resolve, reject } = withResolvers();
    const watch: Watch = { watcher, round: 0, opening: { resolve, reject } };
    const onAbort = () => this.#giveUp(watch, signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#watches.add(watch);
    this.#report(watch);
    await promise.finally(() => signal?.removeEventListener('abort', onAbort));
    return { [Symbol.dispose]: () => void this.#watches.delete(watch) };
  }

  onConnected(): void {
    for (const watch of this.#watches) this.#report(watch);
  }

  /** Ends watches whose first report is incomplete, because no caller can dispose of them. */
  onDisconnected(error: Error): void {
    for (const watch of this.#watches) {
      watch.round += 1;
      if (watch.opening !== undefined) this.#giveUp(watch, error);
    }
  }

  onChange(change: BucketChange): void {
    for (const watch of this.#watches) this.#enqueue(watch, () => watch.watcher.onEntry(copyOf(change)));
  }

  close(error: Error): void {
    for (const watch of this.#watches) this.#giveUp(watch, error);
  }

  #write(key: string, value: Uint8Array | undefined, { revision, signal }: WriteOptions): number {
    signal?.throwIfAborted();
    this.#owner.assertUsable(`a write of ${key}`);
    if (!this.#owner.mayWrite(key)) throw new FleetError('forbidden', `The bus forbids this node to write ${key}`);
    const change = this.#broker.keys.write(key, value, revision);
    for (const bus of this.#broker.buses) bus.onBucketChange(change);
    return change.revision;
  }

  // Queues the current contents; later changes queue behind them.
  #report(watch: Watch): void {
    watch.round += 1;
    this.#enqueue(watch, () => callListener('onStart', () => watch.watcher.onStart()));
    for (const entry of this.#broker.keys.all()) {
      if (entry.value !== undefined) this.#enqueue(watch, () => watch.watcher.onEntry(copyOf(entry)));
    }
    this.#enqueue(watch, () => {
      callListener('onCurrent', () => watch.watcher.onCurrent());
      watch.opening?.resolve();
      watch.opening = undefined;
    });
  }

  #enqueue(watch: Watch, deliver: () => void): void {
    const { round } = watch;
    this.#broker.later(() => {
      if (this.#watches.has(watch) && watch.round === round) deliver();
    });
  }

  #giveUp(watch: Watch, error: unknown): void {
    this.#watches.delete(watch);
    watch.opening?.reject(error);
    watch.opening = undefined;
  }
}
