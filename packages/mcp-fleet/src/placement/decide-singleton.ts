import type { SingletonEntry } from '../catalog/replica.js';

/** What is known when it is decided who runs a server that runs once. */
export interface SingletonFacts {
  /** Who runs it, by the bucket. */
  readonly entry: SingletonEntry | undefined;
  readonly node: string;
  readonly incarnation: number;
  /** Whether this node runs it already. */
  readonly holds: boolean;
  /** Whether the bus has confirmed this node's own lease of late. */
  readonly isConfirmed: boolean;
  /** Whether all that is in the bucket is known, and not just being told anew. */
  readonly isCurrent: boolean;
  /** Who may run it at the same time: whom the bucket names, or whose place this node has taken by its claim. */
  readonly rival: Rival | undefined;
}

/** Another node, or another life of this one. */
export interface Rival {
  /**
   * `alive`: its lease holds. `ended`: it has run out, as this node's clock has measured. `other-life`: its name is now
   * another process's, or nobody's; what was before may yet be running.
   */
  readonly life: 'alive' | 'ended' | 'other-life';
  /** For how long it has been waited for since it is in another life, or since this node has its place. */
  readonly waitedMs: number;
  /** How long its lease lasts. */
  readonly leaseMs: number;
}

export type SingletonDecision =
  /** This node runs it. */
  | 'hold'
  /** Another node runs it. */
  | 'follow'
  /** Nobody does: try to be the one. */
  | 'claim'
  /** Nobody may, for now. */
  | 'wait';

/**
 * Who runs a server of which the fleet runs one. A node that the bus does not confirm runs nothing, one beat before any
 * other may claim. A node whose lease has ended may turn out to have been alive by the time that the claim is written: it
 * is then waited for, like one that cannot be seen any more, for as long as it may not know of the claim.
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
