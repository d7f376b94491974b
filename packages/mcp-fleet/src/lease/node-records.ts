import type { BucketChange, BucketEntry } from '../bus.js';
import { decodeRecord, leaseKey, parseKey } from '../catalog/records.js';
import { leaseMs } from './lease-table.js';

type NodeLiveness =
  /** The node has renewed its lease since the first observation. */
  | { readonly is: 'alive'; readonly heardAtMs: number }
  /** Gone after `remainingMs` milliseconds without a heartbeat. */
  | { readonly is: 'silent'; readonly remainingMs: number }
  | { readonly is: 'gone' };

/**
 * Records of one node, and signs of its life. Never compares two clocks: a lease ages by later writes in the bucket and
 * by the time of observation.
 */
export class NodeRecords {
  readonly #node: string;
  readonly #entries = new Map<string, BucketEntry>();
  /** Revision of the first lease seen; any other revision proves life. */
  #firstRevision: number | undefined;
  #isAlive = false;
  /** Latest possible time of the lease's write, on this process's clock. */
  #writtenBeforeMs = Infinity;
  #busNowMs = 0;

  constructor(node: string) {
    this.#node = node;
  }

  start(): void {
    this.#entries.clear();
  }

  apply(change: BucketChange, nowMs: number): void {
    this.#busNowMs = Math.max(this.#busNowMs, change.writtenAtMs);
    if (change.value === undefined) this.#entries.delete(change.key);
    else if (isOf(this.#node, change)) this.#entries.set(change.key, change);
    else this.#entries.delete(change.key); // for example, another node now holds the singleton
    const lease = this.lease;
    if (lease === undefined) return;
    this.#firstRevision ??= lease.revision;
    this.#isAlive ||= lease.revision !== this.#firstRevision;
    this.#writtenBeforeMs = Math.min(this.#writtenBeforeMs, nowMs - (this.#busNowMs - lease.writtenAtMs));
  }

  get lease(): BucketEntry | undefined {
    return this.#entries.get(leaseKey(this.#node));
  }

  /** Records of the node: its lease first, then singletons that it holds, then its servers. */
  get entries(): readonly BucketEntry[] {
    const rank = ({ key }: BucketEntry) => ['lease', 'singleton', 'server'].indexOf(parseKey(key)?.kind ?? 'server');
    return Array.from(this.#entries.values()).toSorted((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1));
  }

  liveness(nowMs: number): NodeLiveness {
    const { lease } = this;
    if (lease === undefined) return { is: 'gone' };
    if (this.#isAlive) return { is: 'alive', heardAtMs: lease.writtenAtMs };
    const remainingMs = durationOf(lease) - (nowMs - this.#writtenBeforeMs);
    return remainingMs > 0 ? { is: 'silent', remainingMs } : { is: 'gone' };
  }
}

function isOf(node: string, { key, value }: BucketEntry): boolean {
  const about = parseKey(key);
  if (about?.kind !== 'singleton') return about?.node === node;
  const read = decodeRecord(key, value);
  return read?.kind === 'singleton' && read.record.node === node;
}

/** An unreadable lease may have the longest duration. */
function durationOf({ key, value }: BucketEntry): number {
  const read = decodeRecord(key, value);
  return leaseMs(read?.kind === 'lease' ? read.record : { heartbeatMs: Infinity });
}
