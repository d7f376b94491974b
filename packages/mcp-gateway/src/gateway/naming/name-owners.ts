import { bytesToHex } from '@noble/hashes/utils.js';
import { sha256Of } from '@x/internal/digests';
import { BoundedMap } from '@x/internal/limits';
import type { ViewOptions } from '@x/internal/views';
import type { Registry } from '../../registry.js';
import { MAX_URI_LENGTH } from '../subscriptions/subscription-shares.js';

/** The owner of the tools that the app itself adds. */
export const appItself = Symbol('the app itself');
export type NameOwner = string | typeof appItself;

/** Most names of one owner that are remembered although no server offers them any more. */
const MAX_GONE = 10_000;
/** Most roles that no rule names whose names are remembered, in case a rule comes. */
const MAX_UNKNOWN = 1_000;
/** Most groups of servers, for each role, whose names are remembered. */
const MAX_GROUPS = 1_000;

/** The owner of each name of one kind. A name that one server has had never gets another owner. */
export class NameOwners {
  readonly #owners = new Map<string, NameOwner>();
  readonly #counts = new Map<NameOwner, number>();

  ownerOf(name: string): NameOwner | undefined {
    return this.#owners.get(name);
  }

  entries(): IterableIterator<[string, NameOwner]> {
    return this.#owners.entries();
  }

  /**
   * Gives a name without an owner to its only claimant.
   *
   * @returns The owner, which may be none of the claimants; `undefined` while several claim a name that has no owner.
   */
  award(name: string, claimants: readonly NameOwner[]): NameOwner | undefined {
    const known = this.#owners.get(name);
    if (known !== undefined) return known;
    const owner = onlyOf(claimants);
    if (owner === undefined) return undefined;
    this.#owners.set(name, owner);
    this.#counts.set(owner, (this.#counts.get(owner) ?? 0) + 1);
    return owner;
  }

  /**
   * Forgets the oldest names of an owner that has too many beside those on offer. An owner costs no other owner a name.
   *
   * @param offered - Default: no name is on offer.
   */
  trim(offered?: { has(name: string): boolean }): void {
    for (const [owner, count] of this.#counts) {
      if (count <= MAX_GONE) continue;
      const former = this.#formerOf(owner, offered);
      if (former.length <= MAX_GONE) continue;
      const forgotten = former.slice(0, former.length - MAX_GONE * 0.9);
      for (const name of forgotten) this.#owners.delete(name);
      this.#counts.set(owner, count - forgotten.length);
    }
  }

  #formerOf(owner: NameOwner, offered: { has(name: string): boolean } | undefined): readonly string[] {
    return Array.from(this.#owners).flatMap(([name, each]) =>
      each === owner && offered?.has(name) !== true ? [name] : [],
    );
  }
}

/** The owners of all names that one audience sees. */
export class AudienceNames {
  readonly tools = new NameOwners();
  readonly resources = new NameOwners();
  readonly resourceTemplates = new NameOwners();
  readonly prompts = new NameOwners();
  /** Of resources that were read, listed or not, by `readName`. Callers choose these names: they push no listed name out. */
  readonly reads = new NameOwners();
}

/** The name under which a read is remembered: a caller may choose a URI of megabytes, so a long one is kept as a digest. */
export function readName(uri: string): string {
  return uri.length <= MAX_URI_LENGTH ? uri : `\0sha256:${bytesToHex(sha256Of(uri))}`;
}

interface RoleNames {
  readonly whole: AudienceNames;
  readonly groups: BoundedMap<string, AudienceNames>;
}

/** The names of the roles of one registry, by `keyOf`. */
class RegistryNames {
  readonly #known = new Map<string, RoleNames>();
  /** Of roles that no rule names: callers may choose these, so that they must not add up. */
  readonly #unknown = new BoundedMap<string, RoleNames>(MAX_UNKNOWN);

  of(key: string, isKnown: boolean): RoleNames {
    const names = this.#known.get(key) ??
      this.#unknown.get(key) ?? { whole: new AudienceNames(), groups: new BoundedMap(MAX_GROUPS) };
    if (isKnown) this.#known.set(key, names);
    else if (!this.#known.has(key)) this.#unknown.renew(key, names);
    return names;
  }
}

const byRegistry = new WeakMap<Registry, RegistryNames>();

/**
 * The same for all who may use the same, also when a role is taken out of the rules and put back. Every role has owners of its
 * own: a server that a role may not use takes no name away from it.
 */
export function namesFor(registry: Registry, { servers, ...who }: ViewOptions): AudienceNames {
  const all = byRegistry.get(registry) ?? new RegistryNames();
  byRegistry.set(registry, all);
  const isKnown = registry.policy(who)({ kind: 'any', server: '' }).reason !== 'unknown-role';
  const ofRole = all.of(keyOf(who), isKnown);
  if (servers === undefined) return ofRole.whole;
  const group = JSON.stringify([...new Set(servers)].sort());
  const names = ofRole.groups.get(group) ?? new AudienceNames();
  ofRole.groups.renew(group, names);
  return names;
}

/** Who has neither a role nor a name may use everything; a principal has the default role. */
function keyOf({ role, ...options }: ViewOptions): string {
  if (role !== undefined) return `role ${role}`;
  return 'principal' in options ? 'principal' : 'everything';
}

/** The only one of several; `undefined` if they are not the same one. */
export function onlyOf<Item>(items: readonly Item[]): Item | undefined {
  return new Set(items).size === 1 ? items[0] : undefined;
}
