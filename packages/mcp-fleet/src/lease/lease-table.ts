import type { LeaseRecord } from '../catalog/records.js';

/** Heartbeats per lease: a node that misses all of them counts as gone. */
export const LEASE_HEARTBEATS = 3;
/** Upper bound for heartbeat intervals of other nodes. */
const MAX_HEARTBEAT_MS = 60_000;

interface NodeLease {
  readonly record: LeaseRecord;
  readonly isAlive: boolean;
  readonly deadlineMs: number;
}

interface Heartbeat {
  readonly record: LeaseRecord;
  /** Time of the write on the bus's clock. Set for writes from before this watch. */
  readonly writtenAtMs?: number | undefined;
}

interface Entry {
  record: LeaseRecord;
  deadlineMs: number;
  isAlive: boolean;
  receivedAtMs: number;
  writtenAtMs: number | undefined;
}

/**
 * Leases of the other nodes. Callers pass this node's monotonic clock, because clocks of nodes may differ by minutes.
 */
export class LeaseTable {
  readonly #entries = new Map<string, Entry>();

  get(node: string): NodeLease | undefined {
    return this.#entries.get(node);
  }

  nodes(): readonly string[] {
    return Array.from(this.#entries.keys());
  }

  /**
   * Records a heartbeat. One of unknown age counts as new until `age` corrects it.
   *
   * @returns True if the node appeared or has another incarnation.
   */
  recordHeartbeat(node: string, { record, writtenAtMs }: Heartbeat, nowMs: number): boolean {
    const known = this.#entries.get(node);
    const isSame = known?.record.session === record.session && known.record.incarnation === record.incarnation;
    // A repeated report after a reconnect is not a heartbeat.
    if (isSame && known.record.beat === record.beat) return false;
    const deadlineMs = nowMs + leaseMs(record);
    this.#entries.set(node, { record, deadlineMs, isAlive: true, receivedAtMs: nowMs, writtenAtMs });
    return !isSame || !known.isAlive;
  }

  /**
   * Ages heartbeats of unknown age by the bus's current clock.
   *
   * @returns True if there were any: their leases may have ended.
   */
  age(busNowMs: number, nowMs: number): boolean {
    let hasAged = false;
    for (const entry of this.#entries.values()) {
      if (entry.writtenAtMs === undefined) continue;
      const ageMs = Math.max(0, busNowMs - entry.writtenAtMs);
      entry.writtenAtMs = undefined;
      entry.deadlineMs = Math.min(entry.deadlineMs, nowMs - ageMs + leaseMs(entry.record));
      hasAged = true;
    }
    return hasAged;
  }

  forget(node: string): boolean {
    return this.#entries.delete(node);
  }

  expire(nowMs: number): readonly string[] {
    const lost: string[] = [];
    for (const [node, entry] of this.#entries) {
      if (!entry.isAlive || entry.deadlineMs > nowMs) continue;
      entry.isAlive = false;
      lost.push(node);
    }
    return lost;
  }

  nextDeadlineMs(): number | undefined {
    let next: number | undefined;
    for (const { isAlive, deadlineMs } of this.#entries.values()) {
      if (isAlive && (next === undefined || deadlineMs < next)) next = deadlineMs;
    }
    return next;
  }

  /** Estimate of the node's own clock in Unix milliseconds. */
  clockOf(node: string, nowMs: number): number | undefined {
    const entry = this.#entries.get(node);
    return entry && entry.record.sentAtMs + (nowMs - entry.receivedAtMs);
  }
}

export function leaseMs({ heartbeatMs }: Pick<LeaseRecord, 'heartbeatMs'>): number {
  return LEASE_HEARTBEATS * Math.min(heartbeatMs, MAX_HEARTBEAT_MS);
}
