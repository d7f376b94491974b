import type { ToolSource, ToolSourceState } from '@x/internal/contracts';
import { isSameJson } from '@x/internal/json';
import { compareText } from '@x/internal/text';
import type { ToolView } from '@x/internal/views';
import type { ToolsChange } from '../events.js';
import type { CheckedTools } from './check-tools.js';
import type { RegistryDiagnostic } from './diagnostics.js';
import { EntryTable, publicNameOf, type Replacement, replaceKeys } from './entry-table.js';
import type { NativeReader, NativeToolHandler } from './native-tool.js';
import type { ToolDefinition } from './tool-view.js';

/** All tools at one moment. Immutable. */
export interface Snapshot {
  readonly revision: number;
  /** In the order of public names. A map, because names are foreign text. */
  readonly entries: EntryTable<ToolEntry>;
  readonly tools: readonly ToolView[];
  readonly refused: readonly RegistryDiagnostic[];
}

export interface ToolEntry {
  readonly view: ToolView;
  readonly definition: ToolDefinition;
  readonly target: ToolTarget;
}

export type ToolTarget =
  | { readonly kind: 'source'; readonly source: ToolSource }
  | { readonly kind: 'native'; readonly handler: NativeToolHandler; readonly reader?: NativeReader | undefined }
  | { readonly kind: 'intercepted'; readonly handler: NativeToolHandler }
  /** Searches the view through which it is called. */
  | { readonly kind: 'search' };

export interface SourceTools {
  readonly name: string;
  readonly state: ToolSourceState;
  readonly source: ToolSource;
  readonly checked: CheckedTools;
  /** True for known tools of a source that offers none now. */
  readonly isDormant?: boolean | undefined;
  /** True once the tools are known, even if there are none. */
  readonly isListed?: boolean | undefined;
  readonly instructions?: string | undefined;
  /** As given. */
  readonly overrides?: unknown;
  readonly overridesError?: string | undefined;
}

/** Why a server has never listed its tools. */
export interface Unlisted {
  readonly server: string;
  readonly state: ToolSourceState;
  readonly failure: string | undefined;
}

export interface NativeTool {
  readonly definition: ToolDefinition;
  readonly target: ToolTarget;
}

/**
 * The part of a snapshot that `shown` shows. Its revision counts only its own changes; the whole's would reveal changes
 * of hidden tools.
 *
 * @param shown - Returns an entry with the same name, the same object for the same entry, or `undefined` to hide it.
 * @param from.previous - Only changes since then are checked.
 * @param from.hasNewRules - `shown` differs from that of `previous`.
 */
export function restrictSnapshot(
  whole: Snapshot,
  shown: (entry: ToolEntry) => ToolEntry | undefined,
  {
    previous = EMPTY_SNAPSHOT,
    hasNewRules = false,
  }: { readonly previous?: Snapshot | undefined; readonly hasNewRules?: boolean } = {},
): Snapshot {
  const replacements: Replacement<ToolEntry>[] = [];
  const compared = hasNewRules ? previous : (restricted.get(previous) ?? EMPTY_SNAPSHOT);
  for (const { key, later } of differences(compared, whole)) {
    const entry = later && shown(later);
    if (previous.entries.get(key) !== entry) replacements.push({ key, items: entry ? [entry] : [] });
  }
  if (hasNewRules) {
    for (const entry of previous.entries.ordered) {
      const key = entry.view.name;
      if (whole.entries.get(key) !== entry) continue;
      const now = shown(entry);
      if (now !== entry) replacements.push({ key, items: now ? [now] : [] });
    }
    replacements.sort((one, other) => compareText(one.key, other.key));
  }
  const isSame = replacements.length === 0;
  const ordered = isSame ? undefined : replaceKeys(previous.entries.ordered, replacements, publicNameOf);
  const snapshot = nextSnapshot(previous, ordered, []);
  // The empty snapshot is shared, so it has no single origin.
  if (snapshot !== EMPTY_SNAPSHOT) restricted.set(snapshot, whole);
  return snapshot;
}

export function diffSnapshots(before: Snapshot, after: Snapshot): ToolsChange | undefined {
  const added: string[] = [];
  const removed: string[] = [];
  const changed: string[] = [];
  for (const { key, earlier, later } of differences(before, after)) {
    if (earlier === undefined) added.push(key);
    else if (later === undefined) removed.push(key);
    else if (!isSameJson(earlier.view, later.view)) changed.push(key);
  }
  if (added.length + removed.length + changed.length === 0) return undefined;
  return Object.freeze({ revision: after.revision, added, removed, changed });
}

interface Difference {
  readonly key: string;
  readonly earlier: ToolEntry | undefined;
  readonly later: ToolEntry | undefined;
}

/** Sorted names whose entries are not the same object. */
export function differences(before: Snapshot, after: Snapshot): readonly Difference[] {
  const found: Difference[] = [];
  const [old, now] = [before.entries.ordered, after.entries.ordered];
  let [at, next] = [0, 0];
  while (old !== now && (at < old.length || next < now.length)) {
    const [earlier, later] = [old[at], now[next]];
    if (earlier === later) {
      at++;
      next++;
      continue;
    }
    const order =
      earlier === undefined ? 1 : later === undefined ? -1 : compareText(earlier.view.name, later.view.name);
    if (order <= 0) at++;
    if (order >= 0) next++;
    const key = (order <= 0 ? earlier : later)?.view.name ?? '';
    found.push({ key, earlier: order <= 0 ? earlier : undefined, later: order >= 0 ? later : undefined });
  }
  return found;
}

/**
 * @param ordered - Sorted by name; `undefined` if unchanged.
 * @returns `previous` itself if nothing is different; with its revision if only `refused` is.
 */
export function nextSnapshot(
  previous: Snapshot,
  ordered: readonly ToolEntry[] | undefined,
  refused: readonly RegistryDiagnostic[],
): Snapshot {
  if (ordered !== undefined) return new ToolSnapshot(previous.revision + 1, new EntryTable(ordered), refused);
  if (isSameJson(refused, previous.refused)) return previous;
  return new ToolSnapshot(previous.revision, previous.entries, refused);
}

class ToolSnapshot implements Snapshot {
  readonly revision: number;
  readonly entries: EntryTable<ToolEntry>;
  readonly refused: readonly RegistryDiagnostic[];

  constructor(revision: number, entries: EntryTable<ToolEntry>, refused: readonly RegistryDiagnostic[]) {
    this.revision = revision;
    this.entries = entries;
    this.refused = Object.freeze(refused);
    Object.freeze(this);
  }

  get tools(): readonly ToolView[] {
    return this.entries.views;
  }
}

export const EMPTY_SNAPSHOT: Snapshot = new ToolSnapshot(0, new EntryTable([]), []);

const restricted = new WeakMap<Snapshot, Snapshot>();
