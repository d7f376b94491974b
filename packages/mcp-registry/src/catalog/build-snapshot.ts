import { compareText } from '@x/internal/text';
import { publicNameOf } from './entry-table.js';
import { findCollisions, type NameClaims, NO_CLAIMS, updateClaims } from './name-claims.js';
import { EMPTY_SNAPSHOT, type NativeTool, nextSnapshot, type Snapshot, type SourceTools } from './snapshot.js';
import { replaceKeys } from './sorted-list.js';

export interface SnapshotInput {
  /** An unchanged listing is the same object. */
  readonly sources: readonly SourceTools[];
  readonly natives: readonly NativeTool[];
}

const claimsBehind = new WeakMap<Snapshot, NameClaims>();

/**
 * The tools of all sources, in any order.
 *
 * @param previous - Its unchanged parts are reused.
 * @returns `previous` itself if nothing is different; with its revision if only `refused` is.
 */
export function buildSnapshot({ sources, natives }: SnapshotInput, previous = EMPTY_SNAPSHOT): Snapshot {
  const { claims, settled } = updateClaims(claimsBehind.get(previous) ?? NO_CLAIMS, sources, natives);
  const changed = settled.filter(({ key, items: [entry] }) => previous.entries.get(key) !== entry);
  const winners = changed.length === 0 ? undefined : replaceKeys(previous.entries.ordered, changed, publicNameOf);
  const count = winners?.length ?? previous.entries.size;
  const collisions = claims.ordered.length === count ? [] : findCollisions(claims);
  const ordered = sources.toSorted((left, right) => compareText(left.name, right.name));
  const refused = [...ordered.flatMap(({ checked }) => checked.refused), ...collisions];
  const snapshot = nextSnapshot(previous, winners, refused);
  claimsBehind.set(snapshot, claims);
  return snapshot;
}
