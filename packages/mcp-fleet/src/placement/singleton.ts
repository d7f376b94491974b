import type { FleetBus } from '../bus.js';
import { encodeRecord, singletonKey } from '../catalog/records.js';
import type { SingletonEntry } from '../catalog/replica.js';
import { leaseMs } from '../lease/lease-table.js';
import { decideSingleton, type Rival } from './decide-singleton.js';

interface SingletonOptions {
  readonly bus: FleetBus;
  readonly node: string;
  readonly server: string;
  readonly heartbeatMs: number;
  incarnation(): number | undefined;
  isConfirmed(): boolean;
  isCurrent(): boolean;
  entry(): SingletonEntry | undefined;
  holder(entry: SingletonEntry): Rival['life'];
  onHolderChange(isHolder: boolean): void;
}

/** This node's part in electing the holder of a singleton: claims the record when no node holds it. */
export class Singleton implements AsyncDisposable {
  readonly #options: SingletonOptions;
  readonly #lifetime = new AbortController();
  #isHolder = false;
  #isRetired = false;
  #claiming: Promise<void> | undefined;
  #replaced: SingletonEntry | undefined;
  #attempted: number | undefined;
  #written = 0;
  #waiting: { readonly rival: string; readonly sinceMs: number } | undefined;
  #waitTimer: ReturnType<typeof setTimeout> | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SingletonOptions) {
    this.#options = options;
  }

  /** True while this node is the holder and its lease is confirmed. */
  get isHolder(): boolean {
    return this.#isHolder && !this.#isRetired && this.#options.isConfirmed();
  }

  /**
   * Decides anew whether this node is the holder. Call after each change of the bucket, of a lease, or of the
   * confirmation of this node's lease.
   */
  update(): void {
    if (this.#isRetired) return;
    clearTimeout(this.#waitTimer);
    const { node, isConfirmed, isCurrent } = this.#options;
    const incarnation = this.#options.incarnation();
    if (incarnation === undefined) {
      this.#setHolder(false);
      return;
    }
    const entry = this.#options.entry();
    const rival = this.#rival(entry, incarnation);
    const facts = {
      entry,
      node,
      incarnation,
      isHolder: this.#isHolder,
      isConfirmed: isConfirmed(),
      isCurrent: isCurrent(),
      rival,
    };
    const decision = decideSingleton(facts);
    const remainingMs = this.#waiting && rival && rival.leaseMs - rival.waitedMs;
    // No event ends this wait, unlike a wait for the bus.
    if (decision === 'wait' && remainingMs !== undefined && remainingMs > 0) {
      this.#waitTimer = setTimeout(() => this.update(), Math.max(1, remainingMs));
    }
    if (decision === 'claim') this.#claim(entry, incarnation);
    else this.#endAttempt();
    this.#setHolder(decision === 'hold');
  }

  /** Stops taking part. The record still blocks other nodes until disposal. */
  retire(): void {
    this.#isRetired = true;
    clearTimeout(this.#waitTimer);
    this.#endAttempt();
  }

  /** Releases the singleton. Call once it no longer runs here. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.retire();
    const { bus, server, node, heartbeatMs, incarnation, entry } = this.#options;
    const giveUp = setTimeout(() => this.#lifetime.abort(), heartbeatMs);
    await this.#claiming;
    const held = entry();
    const isOurs = held?.node === node && held.incarnation === incarnation();
    const revision = isOurs ? Math.max(held.revision, this.#written) : this.#written;
    if (revision > 0 && bus.isConnected) {
      const { signal } = this.#lifetime;
      await bus.bucket.delete(singletonKey(server), { revision, signal }).catch(() => undefined);
    }
    clearTimeout(giveUp);
  }

  /** Possible second holder. Starts and resets its waiting period. */
  #rival(entry: SingletonEntry | undefined, incarnation: number): Rival | undefined {
    const isOurs = entry?.node === this.#options.node && entry.incarnation === incarnation;
    const rival = isOurs ? this.#replaced : entry;
    const life = rival && this.#options.holder(rival);
    if (rival === undefined || life === undefined || (life !== 'other-life' && !isOurs)) this.#waiting = undefined;
    if (rival === undefined || life === undefined) return undefined;
    const now = performance.now();
    const id = `${rival.node}/${rival.incarnation}`;
    if (life === 'other-life' || isOurs) {
      if (this.#waiting?.rival !== id) this.#waiting = { rival: id, sinceMs: now };
    }
    return { life, waitedMs: now - (this.#waiting?.sinceMs ?? now), leaseMs: leaseMs(rival) };
  }

  #claim(before: SingletonEntry | undefined, incarnation: number): void {
    const revision = before?.revision ?? 0;
    if (this.#claiming !== undefined || this.#attempted === revision) return;
    this.#attempted = revision;
    this.#replaced = before;
    this.#claiming = this.#write(before, incarnation).finally(() => {
      this.#claiming = undefined;
      if (this.#isRetired) return;
      clearTimeout(this.#retryTimer);
      this.#retryTimer = setTimeout(() => {
        this.#attempted = undefined;
        this.update();
      }, this.#options.heartbeatMs);
    });
  }

  async #write(before: SingletonEntry | undefined, incarnation: number): Promise<void> {
    const { bus, node, server, heartbeatMs } = this.#options;
    // Stays a safe integer for any value that another node wrote.
    const epoch = ((before?.epoch ?? 0) % Number.MAX_SAFE_INTEGER) + 1;
    const record = encodeRecord({ node, incarnation, epoch, heartbeatMs });
    const { signal } = this.#lifetime;
    try {
      this.#written = await bus.bucket.put(singletonKey(server), record, { revision: before?.revision ?? 0, signal });
    } catch {
      // Another node was faster, which the watch reports, or the bus is down.
    }
  }

  #endAttempt(): void {
    this.#attempted = undefined;
    clearTimeout(this.#retryTimer);
  }

  #setHolder(isHolder: boolean): void {
    if (isHolder === this.#isHolder) return;
    this.#isHolder = isHolder;
    if (isHolder) this.#replaced = undefined;
    this.#options.onHolderChange(isHolder);
  }
}
