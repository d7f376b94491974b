import type { Data } from './data/data-tree.js';
import { dataAt, type EntryTable } from './data/entry-table.js';
import type { EntryChange, LocatedChange } from './dialect.js';
import { type ContainerOrigin, DocumentFault } from './document.js';
import type { Splice } from './text/text-edits.js';

export interface NumberedChange {
  readonly edit: number;
  readonly change: EntryChange;
}

interface EditBatch {
  readonly accepted: readonly NumberedChange[];
  readonly splices: readonly Splice[];
  readonly origin: ContainerOrigin | undefined;
  /** Changes that wait for the resulting text. Always fewer than before. */
  readonly remaining: readonly NumberedChange[];
}

/**
 * Selects changes that give the same text together as one after the other, always including the first one.
 *
 * @param present - Entries of the current text.
 */
export function nextBatch(
  changes: readonly NumberedChange[],
  present: EntryTable,
  length: number,
  locate: (change: EntryChange) => LocatedChange,
): EditBatch {
  const rules = new BatchRules(present);
  const claimed = new ClaimedRanges(length);
  const accepted: NumberedChange[] = [];
  const remaining: NumberedChange[] = [];
  const splices: Splice[] = [];
  let origin: ContainerOrigin | undefined;
  for (const numbered of changes) {
    const { change } = numbered;
    const located = rules.admits(numbered) ? unlessPostponed(accepted.length > 0, () => locate(change)) : undefined;
    if (located === undefined || !claimed.claim(located)) {
      rules.postpone(change);
      remaining.push(numbered);
      continue;
    }
    rules.accept(numbered);
    accepted.push(numbered);
    for (const splice of located.splices) splices.push(splice);
    if (change.type === 'insert') origin ??= located.origin;
  }
  return { accepted, splices, origin, remaining };
}

/** Postpones a change that can be located only after earlier ones are applied. */
function unlessPostponed(mayWait: boolean, work: () => LocatedChange): LocatedChange | undefined {
  try {
    return work();
  } catch (error) {
    if (mayWait && error instanceof DocumentFault) return undefined;
    throw error;
  }
}

/** Ordering rules that apply regardless of the text. */
class BatchRules {
  readonly #present: EntryTable;
  /** Edit and changed paths, by entry name. */
  readonly #changed = new Map<string, { readonly edit: number; readonly paths: PathSet }>();
  readonly #postponedNames = new Set<string>();
  /** Number of members that each map loses. */
  readonly #lost = new Map<Data | EntryTable, number>();
  #postponesInserts = false;
  #postponesRemoves = false;

  constructor(present: EntryTable) {
    this.#present = present;
  }

  admits({ edit, change }: NumberedChange): boolean {
    if (this.#postponedNames.has(change.name)) return false;
    const changed = this.#changed.get(change.name);
    switch (change.type) {
      case 'insert':
        return changed === undefined && !this.#postponesInserts;
      case 'remove':
        return changed === undefined && !this.#postponesRemoves && this.#leavesOne(change);
      case 'set':
        return changed === undefined || (changed.edit === edit && changed.paths.isFree(this.#reached(change)));
      case 'unset':
        return (
          !this.#postponesRemoves &&
          this.#leavesOne(change) &&
          (changed === undefined || (changed.edit === edit && changed.paths.isFree(change.path)))
        );
    }
  }

  accept({ edit, change }: NumberedChange): void {
    const changed = this.#changed.get(change.name) ?? { edit, paths: new PathSet() };
    this.#changed.set(change.name, changed);
    if (change.type === 'set') changed.paths.add(this.#reached(change));
    if (change.type === 'unset') changed.paths.add(change.path);
    if (change.type === 'remove' || change.type === 'unset') {
      const { holder } = this.#holderOf(change);
      this.#lost.set(holder, (this.#lost.get(holder) ?? 0) + 1);
    }
  }

  /** Keeps the order of additions and removals, because the text around an addition decides its position. */
  postpone({ type, name }: EntryChange): void {
    this.#postponedNames.add(name);
    this.#postponesInserts = true;
    if (type === 'insert' || type === 'set') this.#postponesRemoves = true;
  }

  /** The removal of a map's last member differs, so it needs a separate batch. */
  #leavesOne(change: Removing): boolean {
    const { holder, size } = this.#holderOf(change);
    const lost = this.#lost.get(holder) ?? 0;
    return lost === 0 || lost + 1 < size;
  }

  #holderOf(change: Removing): { readonly holder: Data | EntryTable; readonly size: number } {
    const entry = change.type === 'unset' ? this.#present.get(change.name) : undefined;
    const holder = change.type === 'unset' && entry ? dataAt(entry, change.path.slice(0, -1)) : undefined;
    if (holder?.kind !== 'map') return { holder: this.#present, size: this.#present.size };
    return { holder, size: holder.entries.length };
  }

  /** The first change below a missing map creates it, so it claims the map's path. */
  #reached({ name, path }: EntryChange & { readonly type: 'set' }): readonly string[] {
    return reachedPath(this.#present.get(name), path);
  }
}

type Removing = EntryChange & { readonly type: 'remove' | 'unset' };

function reachedPath(entry: Data | undefined, path: readonly string[]): readonly string[] {
  let current = entry;
  for (const [depth, key] of path.entries()) {
    current = current?.kind === 'map' ? current.entries.find((item) => item.key === key)?.value : undefined;
    if (current === undefined) return path.slice(0, depth + 1);
  }
  return path;
}

/** Paths of which none is a prefix of another. */
class PathSet {
  readonly #below = new Map<string, PathSet>();
  #isEnd = false;

  add(path: readonly string[]): void {
    let at: PathSet = this;
    for (const key of path) {
      const next = at.#below.get(key) ?? new PathSet();
      at.#below.set(key, next);
      at = next;
    }
    at.#isEnd = true;
  }

  /** True if the set has neither the path nor a prefix or extension of it. */
  isFree(path: readonly string[]): boolean {
    let at: PathSet | undefined = this;
    for (const key of path) {
      if (at.#isEnd) return false;
      at = at.#below.get(key);
      if (at === undefined) return true;
    }
    return false;
  }
}

/** Decides which changes to one text can be applied together. */
class ClaimedRanges {
  /** One flag per character: a splice replaces it. */
  readonly #replaced: Uint8Array;
  /** One flag per position: an insertion happens here or depends on the text here. */
  readonly #kept: Uint8Array;
  /** The list that gains a member, by position. */
  readonly #lists = new Map<number, object>();

  constructor(length: number) {
    this.#replaced = new Uint8Array(length + 1);
    this.#kept = new Uint8Array(length + 1);
  }

  /** Claims the ranges of a change. Returns false, and claims nothing, if an earlier claim conflicts. */
  claim(change: LocatedChange): boolean {
    const { splices, behind } = change;
    if (behind !== undefined && this.#replaced[behind.end - 1] === 1) return false;
    if (splices.some((splice) => this.#isClaimed(splice, behind?.list))) return false;
    if (behind !== undefined) this.#kept[behind.end] = 1;
    for (const { start, end } of splices) {
      if (start < end) this.#replaced.fill(1, start, end);
      else {
        this.#kept[start] = 1;
        if (behind !== undefined) this.#lists.set(start, behind.list);
      }
    }
    return true;
  }

  /** A replacement may start right after an insertion but must not end at one. */
  #isClaimed({ start, end }: Splice, list: object | undefined): boolean {
    if (start < end) {
      return this.#replaced.subarray(start, end).includes(1) || this.#kept.subarray(start + 1, end + 1).includes(1);
    }
    if (this.#replaced[start - 1] === 1) return true;
    return this.#kept[start] === 1 && (list === undefined || this.#lists.get(start) !== list);
  }
}
