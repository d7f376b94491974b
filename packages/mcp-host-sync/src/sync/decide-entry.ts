import { quoted } from '@x/internal/text';
import type { OwnedEntry } from './ownership.js';

/** Reason why an entry with differences is left unchanged. */
export type ConflictReason =
  /** Another program or the user wrote an entry with this name. */
  | 'foreign-entry'
  /** The entry was edited after it was written here. */
  | 'edited-entry'
  /** The entry was removed after it was written here. */
  | 'removed-entry';

type EntryDecision =
  | { readonly type: 'add' | 'change' | 'remove' | 'keep' | 'forget' | 'nothing' }
  | { readonly type: 'conflict'; readonly reason: ConflictReason };

interface EntryFacts {
  readonly desiredHash: string | undefined;
  readonly currentHash: string | undefined;
  /** The server was enabled or disabled since the last write. */
  readonly setToggle: boolean;
  readonly record: OwnedEntry | undefined;
  readonly force: boolean;
}

/** Decides on one entry. Without `force`, changes or removes only an unedited entry of the same owner. */
export function decideEntry({ desiredHash, currentHash, setToggle, record, force }: EntryFacts): EntryDecision {
  if (record === undefined) {
    if (desiredHash === undefined) return { type: 'nothing' };
    if (currentHash === undefined) return { type: 'add' };
    if (currentHash === desiredHash) return { type: 'keep' };
    return force ? { type: 'change' } : { type: 'conflict', reason: 'foreign-entry' };
  }
  if (currentHash === undefined) {
    if (desiredHash === undefined) return { type: 'forget' };
    // Adds the entry again if a killed process may not have written it, or may just have removed it.
    const mayBeOurs = record.pending !== undefined && (record.hash === undefined || record.pending.hash === null);
    return mayBeOurs || force ? { type: 'add' } : { type: 'conflict', reason: 'removed-entry' };
  }
  const isUntouched = currentHash === record.hash || currentHash === record.pending?.hash;
  if (desiredHash === undefined) {
    return isUntouched || force ? { type: 'remove' } : { type: 'conflict', reason: 'edited-entry' };
  }
  if (currentHash === desiredHash) return { type: setToggle ? 'change' : 'keep' };
  return isUntouched || force ? { type: 'change' } : { type: 'conflict', reason: 'edited-entry' };
}

export function conflictMessage(server: string, reason: ConflictReason): string {
  switch (reason) {
    case 'foreign-entry':
      return `The entry ${quoted(server)} exists and was written by another program or user. Rename the server, or use force`;
    case 'edited-entry':
      return `The entry ${quoted(server)} was edited after it was written here. Adopt the change, or use force`;
    case 'removed-entry':
      return `The entry ${quoted(server)} was removed after it was written here. Drop the server, or use force`;
  }
}
