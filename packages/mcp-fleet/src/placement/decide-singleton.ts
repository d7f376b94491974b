import type { SingletonEntry } from '../catalog/replica.js';

/** Facts that decide which node runs a singleton. */
export interface SingletonFacts {
  /** Holder according to the bucket. */
  readonly entry: SingletonEntry | undefined;
  readonly node: string;
  readonly incarnation: number;
  /** True if this node runs it already. */
  readonly holds: boolean;
  /** True if the bus has recently confirmed this node's lease. */
  readonly isConfirmed: boolean;
  /** True if the replica is complete. */
  readonly isCurrent: boolean;
  /** Possible second holder: the one in the bucket, or the one that this node's claim replaced. */
  readonly rival: Rival | undefined;
}

/** Another node, or another incarnation of this node. */
export interface Rival {
  /**
   * `alive`: its lease is valid. `ended`: its lease has ended by this node's clock. `other-life`: its name has another
   * incarnation or none; the earlier process may still run.
   */
  readonly life: 'alive' | 'ended' | 'other-life';
  /** Time waited since the rival's incarnation ended, or since this node's claim. */
  readonly waitedMs: number;
  /** Duration of its lease. */
  readonly leaseMs: number;
}

export type SingletonDecision =
  /** This node runs it. */
  | 'hold'
  /** Another node runs it. */
  | 'follow'
  /** No node runs it: try to claim it. */
  | 'claim'
  /** No node may run it yet. */
  | 'wait';

/**
 * Decides which node runs a singleton. An unconfirmed node stops it one heartbeat before any other node may claim it. A
 * rival with an ended or invisible lease may still be alive when the claim is written; the new holder waits as long as
 * the rival may not have seen the claim.
 */
export function decideSingleton(facts: SingletonFacts): SingletonDecision {
  const { entry, node, incarnation, holds, isConfirmed, isCurrent, rival } = facts;
  if (!isConfirmed) return 'wait';
  const isOurs = entry?.node === node && entry.incarnation === incarnation;
  if (isOurs && holds) return 'hold';
  if (!isCurrent) return 'wait';
  if (isOurs) return isGone(rival) ? 'hold' : 'wait';
  if (entry === undefined || isGone(rival)) return 'claim';
  return rival?.life === 'alive' ? 'follow' : 'wait';
}

function isGone(rival: Rival | undefined): boolean {
  return rival === undefined || rival.life === 'ended' || rival.waitedMs >= rival.leaseMs;
}
