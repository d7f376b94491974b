import type { ToolsChange } from '../events.js';
import type { ToolSource, ToolSourceState } from '../source.js';
import type { CheckedTools } from './check-tools.js';
import { compareText } from './compare-text.js';
import { quote, type RegistryDiagnostic } from './diagnostics.js';
import { isSameJson } from './json-copy.js';
import type { NativeToolHandler } from './native-tool.js';
import { publicName } from './public-name.js';
import { type ToolDefinition, type ToolView, toToolView } from './tool-view.js';

/** All tools at one moment. Never edited: what changes is which snapshot is the current one. */
export interface Snapshot {
  readonly revision: number;
  /** By public name, in the order of public names. A map, because names are foreign text. */
  readonly entries: ReadonlyMap<string, ToolEntry>;
  /** The views of `entries`, in the same order. */
  readonly tools: readonly ToolView[];
  readonly refused: readonly RegistryDiagnostic[];
}

export interface ToolEntry {
  readonly view: ToolView;
  readonly definition: ToolDefinition;
  readonly target: ToolTarget;
}

/** Who runs the tool. */
export type ToolTarget =
  | { readonly kind: 'source'; readonly source: ToolSource }
  | { readonly kind: 'native'; readonly handler: NativeToolHandler }
  /** The tool search, which searches the view that it is called through. */
  | { readonly kind: 'search' };

export interface SourceTools {
  readonly name: string;
  readonly state: ToolSourceState;
  readonly source: ToolSource;
  readonly checked: CheckedTools;
}

export interface NativeTool {
  readonly definition: ToolDefinition;
  readonly target: ToolTarget;
}

export interface SnapshotInput {
  readonly sources: readonly SourceTools[];
  readonly natives: readonly NativeTool[];
}

export const EMPTY_SNAPSHOT: Snapshot = Object.freeze({ revision: 0, entries: new Map(), tools: [], refused: [] });

/**
 * Decides which tools there are, from what every source offers. The order of the sources has no influence.
 *
 * @returns `previous` itself if nothing is different; with its revision if only `refused` is.
 */
export function buildSnapshot({ sources, natives }: SnapshotInput, previous = EMPTY_SNAPSHOT): Snapshot {
  const ordered = sources.toSorted((left, right) => compareText(left.name, right.name));
  const { winners, collisions } = settleNames(ordered.flatMap(claimsOf));
  const offered = [...winners, ...natives.map(toNativeEntry)].toSorted((left, right) =>
    compareText(left.view.name, right.view.name),
  );

  const entries = new Map<string, ToolEntry>();
  for (const entry of offered) {
    const before = previous.entries.get(entry.view.name);
    entries.set(entry.view.name, before !== undefined && isSameEntry(before, entry) ? before : entry);
  }
  const refused = [...ordered.flatMap(({ checked }) => checked.refused), ...collisions];
  return nextSnapshot(previous, entries, refused);
}

/** The part of a snapshot that `isVisible` lets through, as a snapshot of its own. */
export function restrictSnapshot(
  whole: Snapshot,
  isVisible: (entry: ToolEntry) => boolean,
  previous = EMPTY_SNAPSHOT,
): Snapshot {
  const visible = Array.from(whole.entries).filter(([, entry]) => isVisible(entry));
  const restricted = nextSnapshot(previous, new Map(visible), []);
  return restricted === previous ? previous : Object.freeze({ ...restricted, revision: whole.revision });
}

/** What a reader of `before` sees differently in `after`; `undefined` if nothing. */
export function diffSnapshots(before: Snapshot, after: Snapshot): ToolsChange | undefined {
  const added = Array.from(after.entries.keys()).filter((name) => !before.entries.has(name));
  const removed = Array.from(before.entries.keys()).filter((name) => !after.entries.has(name));
  const changed = Array.from(after.entries).flatMap(([name, { view }]) => {
    const earlier = before.entries.get(name);
    return earlier === undefined || isSameJson(earlier.view, view) ? [] : [name];
  });
  if (added.length + removed.length + changed.length === 0) return undefined;
  return Object.freeze({ revision: after.revision, added, removed, changed });
}

interface Claim {
  readonly isExact: boolean;
  readonly server: string;
  readonly entry: ToolEntry;
}

// Follows from its key alone. Without it every change of one source would cost the names of all the others' tools.
const claims = new WeakMap<SourceTools, readonly Claim[]>();

/** A source's tools with the names they would have, in the order of their own names. */
function claimsOf(offered: SourceTools): readonly Claim[] {
  const known = claims.get(offered);
  if (known !== undefined) return known;
  const { name: server, state, source, checked } = offered;
  const made = checked.tools
    .toSorted((left, right) => compareText(left.name, right.name))
    .map((definition): Claim => {
      const { name, isExact } = publicName(server, definition.name);
      const view = toToolView(definition, { name, server, state });
      return { isExact, server, entry: { view, definition, target: { kind: 'source', source } } };
    });
  claims.set(offered, made);
  return made;
}

/**
 * Gives each name to one tool: first to those whose text needed no change, then in the order of servers and tools.
 * Never numbered by arrival: a name would then mean one tool today and another one tomorrow.
 */
function settleNames(ordered: readonly Claim[]) {
  const winners = new Map<string, Claim>();
  const collisions: RegistryDiagnostic[] = [];
  for (const claim of [...ordered.filter(({ isExact }) => isExact), ...ordered.filter(({ isExact }) => !isExact)]) {
    const winner = winners.get(claim.entry.view.name);
    if (winner === undefined) winners.set(claim.entry.view.name, claim);
    else collisions.push(toCollision(claim, winner));
  }
  return { winners: Array.from(winners.values(), ({ entry }) => entry), collisions };
}

function toCollision({ server, entry: { view } }: Claim, winner: Claim): RegistryDiagnostic {
  const taken = { server: winner.server, tool: winner.entry.view.tool };
  const message =
    `Server ${quote(server)}: the tool ${quote(view.tool)} would be named ${view.name}, which is the name of ` +
    `${quote(taken.tool)} from server ${quote(taken.server)}; rename one of the two to have both`;
  return { code: 'name-collision', server, tool: view.tool, name: view.name, winner: taken, message };
}

function toNativeEntry({ definition, target }: NativeTool): ToolEntry {
  const view = toToolView(definition, { name: definition.name, server: undefined, state: 'running' });
  return { view, definition, target };
}

function isSameEntry(before: ToolEntry, after: ToolEntry): boolean {
  return before === after || (isSameTarget(before.target, after.target) && isSameJson(before.view, after.view));
}

function isSameTarget(before: ToolTarget, after: ToolTarget): boolean {
  if (before.kind === 'source') return after.kind === 'source' && before.source === after.source;
  if (before.kind === 'native') return after.kind === 'native' && before.handler === after.handler;
  return after.kind === 'search';
}

function nextSnapshot(
  previous: Snapshot,
  entries: ReadonlyMap<string, ToolEntry>,
  refused: readonly RegistryDiagnostic[],
): Snapshot {
  const isSame =
    entries.size === previous.entries.size &&
    Array.from(entries).every(([name, entry]) => previous.entries.get(name) === entry);
  if (isSame && isSameJson(refused, previous.refused)) return previous;
  const revision = isSame ? previous.revision : previous.revision + 1;
  const tools = isSame ? previous.tools : Object.freeze(Array.from(entries.values(), ({ view }) => view));
  return Object.freeze({ revision, entries, tools, refused: Object.freeze(refused) });
}
