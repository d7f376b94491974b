import type { SingletonEntry } from '../catalog/replica.js';

export interface SingletonFacts {
  readonly entry: SingletonEntry | undefined;
  readonly node: string;
  readonly incarnation: number;
  readonly isHolder: boolean;
  readonly isConfirmed: boolean;
  readonly isCurrent: boolean;
  /** Possible second holder: the one in the bucket, or the one that this node's claim replaced. */
  readonly rival: Rival | undefined;
}

export interface Rival {
  /**
   * `alive`: its lease is valid. `ended`: its lease has expired by this node's clock. `other-life`: its name has
   * another incarnation or none; its process may still run.
   */
  readonly life: 'alive' | 'ended' | 'other-life';
  /** Wait since the end of the rival's incarnation or since this node's claim. */
  readonly waitedMs: number;
  readonly leaseMs: number;
}

type SingletonDecision =
  | 'hold'
  | 'follow'
  /** No node runs it: try to claim it. */
  | 'claim'
  /** No node may run it yet. */
  | 'wait';

/**
 * Decides whether this node runs a singleton. An unconfirmed node stops it one heartbeat before another may claim it.
 * The new holder waits for a rival that may not have seen the claim yet.
 */
export function decideSingleton(facts: SingletonFacts): SingletonDecision {
  const { entry, node, incarnation, isHolder, isConfirmed, isCurrent, rival } = facts;
  if (!isConfirmed) return 'wait';
  const isOurs = entry?.node === node && entry.incarnation === incarnation;
  if (isOurs && isHolder) return 'hold';
  if (!isCurrent) return 'wait';
  if (isOurs) return isGone(rival) ? 'hold' : 'wait';
  if (entry === undefined || isGone(rival)) return 'claim';
  return rival?.life === 'alive' ? 'follow' : 'wait';
}

function isGone(rival: Rival | undefined): boolean {
  return rival === undefined || rival.life === 'ended' || rival.waitedMs >= rival.leaseMs;
}
