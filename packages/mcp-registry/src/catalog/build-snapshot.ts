import type { ToolOverride } from '@x/internal/contracts';
import { isSameJson } from '@x/internal/json';
import { publicName } from '@x/internal/names';
import { compareText, quote } from '@x/internal/text';
import type { RegistryDiagnostic } from './diagnostics.js';
import { indexOfKey, publicNameOf, type Replacement, replaceKeys } from './entry-table.js';
import {
  EMPTY_SNAPSHOT,
  type NativeTool,
  nextSnapshot,
  type Snapshot,
  type SourceTools,
  type ToolEntry,
  type ToolTarget,
} from './snapshot.js';
import { overrideOf } from './tool-override.js';
import { toToolView } from './tool-view.js';

interface SnapshotInput {
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

/** The same with one more entry, in place of that of the same name. */
export function withEntry(whole: Snapshot, entry: ToolEntry): Snapshot {
  const added = [{ key: publicNameOf(entry), items: [entry] }];
  return nextSnapshot(whole, replaceKeys(whole.entries.ordered, added, publicNameOf), whole.refused);
}

interface Claim {
  readonly entry: ToolEntry;
  readonly owner: SourceTools | NativeTool;
  readonly since: number;
  readonly override?: ToolOverride | undefined;
}

interface NameClaims {
  /** In the order of names; the owner of a name first. */
  readonly ordered: readonly Claim[];
  readonly byOwner: ReadonlyMap<Claim['owner'], readonly Claim[]>;
  readonly updates: number;
}

interface ClaimsUpdate {
  readonly claims: NameClaims;
  /** The owner of each name with new or removed claims, in the order of names. */
  readonly settled: readonly Replacement<ToolEntry>[];
}

const NO_CLAIMS: NameClaims = { ordered: [], byOwner: new Map(), updates: 0 };

/** Removes claims of vanished owners and adds those of new ones. Unchanged owner objects cost nothing. */
function updateClaims(
  before: NameClaims,
  sources: readonly SourceTools[],
  natives: readonly NativeTool[],
): ClaimsUpdate {
  const updates = before.updates + 1;
  const offered = new Set<Claim['owner']>([...sources, ...natives]);
  const gone = Array.from(before.byOwner).filter(([owner]) => !offered.has(owner));
  const earlier = new Map(gone.map(([owner, claims]) => ['source' in owner ? owner.source : undefined, claims]));
  const fresh = new Map<Claim['owner'], readonly Claim[]>();
  for (const source of sources) {
    if (!before.byOwner.has(source)) fresh.set(source, claimNames(source, updates, earlier.get(source.source)));
  }
  for (const tool of natives) if (!before.byOwner.has(tool)) fresh.set(tool, [claimOwnName(tool, updates)]);
  if (gone.length === 0 && fresh.size === 0) return { claims: before, settled: [] };

  const wanted = collectWanted(before, gone, fresh);
  const kept = Array.from(before.byOwner).filter(([owner]) => offered.has(owner));
  return {
    claims: {
      ordered: replaceKeys(before.ordered, wanted, claimedName),
      byOwner: new Map([...kept, ...fresh]),
      updates,
    },
    settled: wanted.map(({ key, items: [winner] }) => ({ key, items: winner === undefined ? [] : [winner.entry] })),
  };
}

function collectWanted(
  { ordered }: NameClaims,
  gone: readonly (readonly [Claim['owner'], readonly Claim[]])[],
  fresh: ReadonlyMap<Claim['owner'], readonly Claim[]>,
): readonly Replacement<Claim>[] {
  const made = new Map<string, Claim[]>();
  for (const claim of Array.from(fresh.values()).flat()) {
    const same = made.get(claimedName(claim));
    if (same === undefined) made.set(claimedName(claim), [claim]);
    else same.push(claim);
  }
  const givenUp = gone.flatMap(([, claims]) => claims);
  const leaving = new Set(givenUp);
  const names = Array.from(new Set([...givenUp.map(claimedName), ...made.keys()])).sort();
  let index = 0;
  return names.map((key) => {
    const items = made.get(key) ?? [];
    index = indexOfKey(ordered, key, claimedName, index);
    for (let at = index; at < ordered.length; at++) {
      const claim = ordered[at];
      if (claim === undefined || claimedName(claim) !== key) break;
      if (!leaving.has(claim)) items.push(claim);
    }
    return { key, items: items.length > 1 ? items.sort(compareClaims) : items };
  });
}

function claimedName({ entry }: Claim): string {
  return entry.view.name;
}

function claimNames(owner: SourceTools, updates: number, before: readonly Claim[] = []): readonly Claim[] {
  const { name: server, state, source, checked, overrides } = owner;
  const target: ToolTarget = { kind: 'source', source };
  const known = new Map(before.map((claim) => [claim.entry.view.tool, claim]));
  return checked.tools.flatMap((definition) => {
    const override = overrideOf(overrides, definition.name);
    if (override?.hidden) return [];
    const earlier = known.get(definition.name);
    const since = earlier?.since ?? updates;
    const isSameText = earlier !== undefined && isSameJson(earlier.override, override);
    if (isSameText && earlier.entry.definition === definition && earlier.entry.view.state === state) {
      return { entry: earlier.entry, owner, since, override };
    }
    const name = publicName(server, definition.name);
    const view = toToolView(definition, { name, server, state, override });
    const isSame = earlier !== undefined && isSameJson(earlier.entry.view, view);
    return { entry: isSame ? earlier.entry : { view, definition, target }, owner, since, override };
  });
}

function claimOwnName(owner: NativeTool, since: number): Claim {
  return { owner, since, entry: entryOf(owner) };
}

export function entryOf({ definition, target }: NativeTool): ToolEntry {
  const view = toToolView(definition, { name: definition.name, server: undefined, state: 'running' });
  return { view, definition, target };
}

function findCollisions({ ordered }: NameClaims): readonly RegistryDiagnostic[] {
  let winner: Claim | undefined;
  return ordered.flatMap((claim) => {
    if (winner !== undefined && claimedName(winner) === claimedName(claim)) {
      return [toCollision(claim.entry, winner.entry)];
    }
    winner = claim;
    return [];
  });
}

/**
 * The earliest claim wins, so that a call never reaches another server than before. Names only collide if two digests
 * do.
 */
function compareClaims(left: Claim, right: Claim): number {
  const [one, other] = [left.entry.view, right.entry.view];
  return (
    left.since - right.since || compareText(one.server ?? '', other.server ?? '') || compareText(one.tool, other.tool)
  );
}

function toCollision({ view }: ToolEntry, { view: winner }: ToolEntry): RegistryDiagnostic {
  const server = view.server ?? '';
  const taken = { server: winner.server ?? '', tool: winner.tool };
  const message =
    `Server ${quote(server)}: the tool ${quote(view.tool)} would be named ${view.name}, which is the name of ` +
    `${quote(taken.tool)} from server ${quote(taken.server)}; rename one of the two to have both`;
  return { code: 'name-collision', server, tool: view.tool, name: view.name, winner: taken, message };
}
