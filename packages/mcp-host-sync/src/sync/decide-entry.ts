import type { OwnedEntry } from './ownership.js';

/** Why an entry is left as it is although it differs. */
export type ConflictReason =
  /** Somebody else wrote an entry of that name. */
  | 'foreign-entry'
  /** Somebody changed what was written here. */
  | 'edited-entry'
  /** Somebody took away what was written here. */
  | 'removed-entry';

export type EntryDecision =
  | { readonly type: 'add' | 'change' | 'remove' | 'keep' | 'forget' | 'nothing' }
  | { readonly type: 'conflict'; readonly reason: ConflictReason };

export interface EntryFacts {
  /** Of the entry that should be there. */
  readonly desiredHash: string | undefined;
  /** Of the entry that is there. */
  readonly currentHash: string | undefined;
  /** The switch has to be set, because it was turned on our side since it was last written. */
  readonly turned: boolean;
  /** What is known of the entry that was written on behalf of the same owner. */
  readonly record: OwnedEntry | undefined;
  readonly force: boolean;
}

/** What happens to one entry. Only an untouched entry of our own is ever changed or removed, unless `force` says so. */
export function decideEntry({ desiredHash, currentHash, turned, record, force }: EntryFacts): EntryDecision {
  if (record === undefined) {
    if (desiredHash === undefined) return { type: 'nothing' };
    if (currentHash === undefined) return { type: 'add' };
    if (currentHash === desiredHash) return { type: 'keep' };
    return force ? { type: 'change' } : { type: 'conflict', reason: 'foreign-entry' };
  }
  if (currentHash === undefined) {
    if (desiredHash === undefined) return { type: 'forget' };
    // A process that was killed in between may never have written it, or may have just removed it.
    const mayBeOurs = record.pending !== undefined && (record.hash === undefined || record.pending.hash === null);
    return mayBeOurs || force ? { type: 'add' } : { type: 'conflict', reason: 'removed-entry' };
  }
  const isUntouched = currentHash === record.hash || currentHash === record.pending?.hash;
  if (desiredHash === undefined) {
    return isUntouched || force ? { type: 'remove' } : { type: 'conflict', reason: 'edited-entry' };
  }
  if (currentHash === desiredHash) return { type: turned ? 'change' : 'keep' };
  return isUntouched || force ? { type: 'change' } : { type: 'conflict', reason: 'edited-entry' };
}
