import { ClaimedText } from './claimed-text.js';
import type { Data } from './data-tree.js';
import type { EntryChange, LocatedChange } from './dialect.js';
import { DocumentFault } from './document-fault.js';
import type { ContainerOrigin } from './document-shape.js';
import { dataAt } from './entry-changes.js';
import type { EntryTable } from './entry-table.js';
import { PathSet } from './path-set.js';
import type { Splice } from './splice.js';

/** A change, and the number of the edit that it is a part of. */
export interface NumberedChange {
  readonly edit: number;
  readonly change: EntryChange;
}

/** Changes that are located in one text and carried out together. */
export interface Wave {
  readonly taken: readonly NumberedChange[];
  readonly splices: readonly Splice[];
  readonly origin: ContainerOrigin | undefined;
  /** Those that have to wait for the text that comes out. Always fewer than before. */
  readonly left: readonly NumberedChange[];
}

/**
 * Picks the changes that give the same text together as one after the other, in the order they have. The first one is
 * always among them.
 *
 * @param present - The entries of the text at hand.
 */
export function takeWave(
  changes: readonly NumberedChange[],
  present: EntryTable,
  length: number,
  locate: (change: EntryChange) => LocatedChange,
): Wave {
  const rules = new WaveRules(present);
  const claimed = new ClaimedText(length);
  const taken: NumberedChange[] = [];
  const left: NumberedChange[] = [];
  const splices: Splice[] = [];
  let origin: ContainerOrigin | undefined;
  for (const numbered of changes) {
    const { change } = numbered;
    const located = rules.admits(numbered) ? orLater(taken.length > 0, () => locate(change)) : undefined;
    if (located === undefined || !claimed.claim(located)) {
      rules.hold(change);
      left.push(numbered);
      continue;
    }
    rules.take(numbered);
    taken.push(numbered);
    for (const splice of located.splices) splices.push(splice);
    if (change.type === 'insert') origin ??= located.origin;
  }
  return { taken, splices, origin, left };
}

/** What cannot be located yet may be once the changes before it are made. */
function orLater(mayWait: boolean, work: () => LocatedChange): LocatedChange | undefined {
  try {
    return work();
  } catch (error) {
    if (mayWait && error instanceof DocumentFault) return undefined;
    throw error;
  }
}

/** What has to wait whatever stands in the text: the order of some changes matters. */
class WaveRules {
  readonly #present: EntryTable;
  /** By name: which edit changes the entry, and where. */
  readonly #changed = new Map<string, { readonly edit: number; readonly paths: PathSet }>();
  readonly #heldNames = new Set<string>();
  /** How many members each map, or the table of entries, loses. */
  readonly #lost = new Map<Data | EntryTable, number>();
  #holdsInserts = false;
  #holdsRemoves = false;

  constructor(present: EntryTable) {
    this.#present = present;
  }

  admits({ edit, change }: NumberedChange): boolean {
    if (this.#heldNames.has(change.name)) return false;
    const changed = this.#changed.get(change.name);
    switch (change.type) {
      case 'insert':
        return changed === undefined && !this.#holdsInserts;
      case 'remove':
        return changed === undefined && !this.#holdsRemoves && this.#leavesOne(change);
      case 'set':
        return changed === undefined || (changed.edit === edit && changed.paths.isFree(this.#reached(change)));
      case 'unset':
        return (
          !this.#holdsRemoves &&
          this.#leavesOne(change) &&
          (changed === undefined || (changed.edit === edit && changed.paths.isFree(change.path)))
        );
    }
  }

  take({ edit, change }: NumberedChange): void {
    const changed = this.#changed.get(change.name) ?? { edit, paths: new PathSet() };
    this.#changed.set(change.name, changed);
    if (change.type === 'set') changed.paths.add(this.#reached(change));
    if (change.type === 'unset') changed.paths.add(change.path);
    if (change.type === 'remove' || change.type === 'unset') {
      const { holder } = this.#holderOf(change);
      this.#lost.set(holder, (this.#lost.get(holder) ?? 0) + 1);
    }
  }

  /**
   * Keeps the order of additions and removals. The place of an addition depends on the text around it, and a removal can
   * leave a comment there.
   */
  hold({ type, name }: EntryChange): void {
    this.#heldNames.add(name);
    this.#holdsInserts = true;
    if (type === 'insert' || type === 'set') this.#holdsRemoves = true;
  }

  /** The last member of a map is taken away in another way than the others, and so it goes by itself. */
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

  /** Where a map is missing on the way, whoever comes first creates it. */
  #reached({ name, path }: EntryChange & { readonly type: 'set' }): readonly string[] {
    return reachedPath(this.#present.get(name), path);
  }
}

type Removing = EntryChange & { readonly type: 'remove' | 'unset' };

/** The path up to its first key that is not there. */
function reachedPath(entry: Data | undefined, path: readonly string[]): readonly string[] {
  let current = entry;
  for (const [depth, key] of path.entries()) {
    current = current?.kind === 'map' ? current.entries.find((item) => item.key === key)?.value : undefined;
    if (current === undefined) return path.slice(0, depth + 1);
  }
  return path;
}
