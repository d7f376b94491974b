import { nextTurn } from '@x/internal/async';
import { isSameJson } from '@x/internal/json';
import type { RolePolicy } from '../../registry.js';
import type { UpstreamEntry } from '../upstream.js';
import { mayUseAllParts, type PartKind, partRules } from './part-kinds.js';
import type { ListChange } from './upstream-lists.js';

interface KindDifference extends ListDifference {
  readonly kind: PartKind;
}

/**
 * Decides whether a change of a server's lists is visible to an audience. A change concerns all connections at once, so
 * its differences are computed once, and its meaning once per role.
 */
export class ListChanges {
  readonly #readOne: (kind: PartKind, server: string) => Promise<readonly UpstreamEntry[]>;
  readonly #differences = new WeakMap<ListChange, Promise<readonly KindDifference[]>>();
  readonly #decided = new WeakMap<ListChange, WeakMap<RolePolicy, Promise<boolean>>>();
  #turn: Promise<void> = Promise.resolve();

  constructor(readOne: (kind: PartKind, server: string) => Promise<readonly UpstreamEntry[]>) {
    this.#readOne = readOne;
  }

  isFor(policy: RolePolicy, change: ListChange): Promise<boolean> {
    const byPolicy = this.#decided.get(change) ?? new WeakMap<RolePolicy, Promise<boolean>>();
    this.#decided.set(change, byPolicy);
    const decided = byPolicy.get(policy) ?? this.#decide(policy, change);
    byPolicy.set(policy, decided);
    return decided;
  }

  async #decide(policy: RolePolicy, change: ListChange): Promise<boolean> {
    const { server } = change;
    if (change.before.some(({ kind }) => mayUseAllParts(policy, kind, server))) return true;
    const differences = await this.#differencesOf(change);
    if (differences.length === 0) return false;
    await this.#nextTurn();
    return differences.some(({ kind, ...lists }) => {
      const { keyOf, subjectOf } = partRules[kind];
      return isSeen(lists, (entry) => {
        const key = keyOf(entry);
        return key !== undefined && policy(subjectOf(server, key)).isAllowed;
      });
    });
  }

  #differencesOf(change: ListChange): Promise<readonly KindDifference[]> {
    const known = this.#differences.get(change) ?? this.#compare(change);
    this.#differences.set(change, known);
    return known;
  }

  async #compare({ server, before }: ListChange): Promise<readonly KindDifference[]> {
    const kinds = before.map(async ({ kind, items }): Promise<readonly KindDifference[]> => {
      const difference = differenceOf({ before: items, after: await this.#readOne(kind, server) });
      return difference === undefined ? [] : [{ kind, ...difference }];
    });
    return (await Promise.all(kinds)).flat();
  }

  /** Gives each waiting role a turn of the event loop, so that other work proceeds. */
  #nextTurn(): Promise<void> {
    this.#turn = this.#turn.then(nextTurn);
    return this.#turn;
  }
}

interface ListDifference {
  readonly before: readonly UpstreamEntry[];
  readonly after: readonly UpstreamEntry[];
}

/** Removes the common beginning and end of two lists. `undefined` for equal lists. */
function differenceOf({ before, after }: ListDifference): ListDifference | undefined {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isSameJson(before[start], after[start])) start++;
  if (start === before.length && start === after.length) return undefined;
  let end = 0;
  while (end < shorter - start && isSameJson(before[before.length - 1 - end], after[after.length - 1 - end])) end++;
  return { before: before.slice(start, before.length - end), after: after.slice(start, after.length - end) };
}

/** True if an audience sees a difference. */
function isSeen({ before, after }: ListDifference, isVisible: (entry: UpstreamEntry) => boolean): boolean {
  const seenAfter = visible(after, isVisible);
  for (const entry of visible(before, isVisible)) {
    const { value, done } = seenAfter.next();
    if (done === true || !isSameJson(entry, value)) return true;
  }
  return seenAfter.next().done !== true;
}

function* visible(entries: readonly UpstreamEntry[], isVisible: (entry: UpstreamEntry) => boolean) {
  for (const entry of entries) if (isVisible(entry)) yield entry;
}
