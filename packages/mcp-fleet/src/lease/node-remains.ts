import type { BucketChange, BucketEntry } from '../bus.js';
import { decodeRecord, leaseKey, parseKey } from '../catalog/records.js';
import { leaseMs } from './lease-table.js';

/** How a node looks to somebody who has watched the bucket for a while. */
export type NodeLook =
  /** It has given a sign of life meanwhile. */
  | { readonly is: 'alive'; readonly heardAtMs: number }
  /** It may be gone: certain after that time, if no sign of life comes. */
  | { readonly is: 'silent'; readonly restMs: number }
  /** Its lease has ended, or there is none. */
  | { readonly is: 'gone' };

/**
 * What a node has in the bucket, and whether it is there itself. Compares no clock with another: how old a lease is comes
 * from what was written after it, and from how long it has been looked at.
 */
export class NodeRemains {
  readonly #node: string;
  readonly #entries = new Map<string, BucketEntry>();
  /** The revision of the lease that was seen first: another one is a sign of life. */
  #firstRevision: number | undefined;
  #isAlive = false;
  /** When the lease was written at the latest, on this process's clock. */
  #writtenBeforeMs = Infinity;
  /** The bus's clock at the newest entry of all. */
  #busNowMs = 0;

  constructor(node: string) {
    this.#node = node;
  }

  /** All that is in the bucket will be told. */
  start(): void {
    this.#entries.clear();
  }

  take(change: BucketChange, nowMs: number): void {
    this.#busNowMs = Math.max(this.#busNowMs, change.writtenAtMs);
    if (change.value === undefined) this.#entries.delete(change.key);
    else if (isOf(this.#node, change)) this.#entries.set(change.key, change);
    else this.#entries.delete(change.key); // such as a claim that another node has made since
    const lease = this.lease;
    if (lease === undefined) return;
    this.#firstRevision ??= lease.revision;
    this.#isAlive ||= lease.revision !== this.#firstRevision;
    this.#writtenBeforeMs = Math.min(this.#writtenBeforeMs, nowMs - (this.#busNowMs - lease.writtenAtMs));
  }

  /** What it has written as its lease, whether or not this version can read it. */
  get lease(): BucketEntry | undefined {
    return this.#entries.get(leaseKey(this.#node));
  }

  /** Its lease first, then the claims of what it is said to run, then its servers. */
  get entries(): readonly BucketEntry[] {
    const rank = ({ key }: BucketEntry) => ['lease', 'singleton', 'server'].indexOf(parseKey(key)?.kind ?? 'server');
    return Array.from(this.#entries.values()).toSorted((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1));
  }

  look(nowMs: number): NodeLook {
    const { lease } = this;
    if (lease === undefined) return { is: 'gone' };
    if (this.#isAlive) return { is: 'alive', heardAtMs: lease.writtenAtMs };
    const restMs = durationOf(lease) - (nowMs - this.#writtenBeforeMs);
    return restMs > 0 ? { is: 'silent', restMs } : { is: 'gone' };
  }
}

function isOf(node: string, { key, value }: BucketEntry): boolean {
  const about = parseKey(key);
  if (about?.kind !== 'singleton') return about?.node === node;
  const read = decodeRecord(key, value);
  return read?.kind === 'singleton' && read.record.node === node;
}

/** One that cannot be read may last as long as any. */
function durationOf({ key, value }: BucketEntry): number {
  const read = decodeRecord(key, value);
  return leaseMs(read?.kind === 'lease' ? read.record : { heartbeatMs: Infinity });
}
