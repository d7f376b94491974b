import { compareText } from '@x/internal/text';
import { publicNameOf } from './entry-table.js';
import { findCollisions, type NameClaims, NO_CLAIMS, updateClaims } from './name-claims.js';
import { EMPTY_SNAPSHOT, type NativeTool, nextSnapshot, type Snapshot, type SourceTools } from './snapshot.js';
import { replaceKeys } from './sorted-list.js';

export interface SnapshotInput {
  /** The same object for an unchanged listing, each source at most once. */
  readonly sources: readonly SourceTools[];
  readonly natives: readonly NativeTool[];
}

// The inputs of a snapshot, for the next one; not for its readers.
const claimsBehind = new WeakMap<Snapshot, NameClaims>();

/**
 * Computes the tools of all sources. The order of the sources has no influence.
 *
 * @param previous - The previous result, whose unchanged parts are reused.
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
