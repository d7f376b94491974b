import type { LeaseRecord } from '../catalog/records.js';

/** Beats that may be missed before a node counts as gone. */
export const LEASE_BEATS = 3;
/** Other nodes may say what they like of their own heartbeat; a lease lasts no longer than three of these. */
const MAX_HEARTBEAT_MS = 60_000;

/** A node whose lease is known, and until when it holds. */
export interface NodeLease {
  readonly record: LeaseRecord;
  readonly isAlive: boolean;
  /** When it ends, on this node's clock. */
  readonly deadlineMs: number;
}

/** One write of a lease, as the bus tells it. */
export interface Beat {
  readonly record: LeaseRecord;
  /** The bus's clock when it was written. Given for one that may be old, because a watch has just begun. */
  readonly writtenAtMs?: number | undefined;
}

interface Entry {
  record: LeaseRecord;
  deadlineMs: number;
  isAlive: boolean;
  heardAtMs: number;
  /** The bus's clock at the last beat, as long as it is not known how long ago that was. */
  writtenAtMs: number | undefined;
}

/**
 * Which nodes are alive. Knows durations on this node's own monotonic clock, which every call brings along, and no
 * dates: clocks of nodes may differ by minutes.
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
   * A beat of the node has come. One that may be old counts as new until `age` knows better.
   *
   * @returns Whether the node is now another one than before: it was not alive, or is of another incarnation.
   */
  heard(node: string, { record, writtenAtMs }: Beat, nowMs: number): boolean {
    const known = this.#entries.get(node);
    const isSame = known?.record.session === record.session && known.record.incarnation === record.incarnation;
    // Told once more after a reconnect: that is no beat.
    if (isSame && known.record.beat === record.beat) return false;
    const deadlineMs = nowMs + leaseMs(record);
    this.#entries.set(node, { record, deadlineMs, isAlive: true, heardAtMs: nowMs, writtenAtMs });
    return !isSame || !known.isAlive;
  }

  /**
   * What the bus's clock says now, so that beats of unknown age get one.
   *
   * @returns Whether there were any: their leases may turn out to be over.
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

  /** The node is not there any more. */
  forget(node: string): boolean {
    return this.#entries.delete(node);
  }

  /** Nodes whose leases have ended since the last time. */
  expire(nowMs: number): readonly string[] {
    const lost: string[] = [];
    for (const [node, entry] of this.#entries) {
      if (!entry.isAlive || entry.deadlineMs > nowMs) continue;
      entry.isAlive = false;
      lost.push(node);
    }
    return lost;
  }

  /** When the next lease would end, on this node's clock. */
  nextDeadlineMs(): number | undefined {
    let next: number | undefined;
    for (const { isAlive, deadlineMs } of this.#entries.values()) {
      if (isAlive && (next === undefined || deadlineMs < next)) next = deadlineMs;
    }
    return next;
  }

  /** What the node's own clock says now, in milliseconds of Unix time, as far as its last beat tells. */
  clockOf(node: string, nowMs: number): number | undefined {
    const entry = this.#entries.get(node);
    return entry && entry.record.sentAtMs + (nowMs - entry.heardAtMs);
  }
}

/** How long a lease lasts whose holder names that heartbeat. */
export function leaseMs({ heartbeatMs }: Pick<LeaseRecord, 'heartbeatMs'>): number {
  return LEASE_BEATS * Math.min(heartbeatMs, MAX_HEARTBEAT_MS);
}
