import { bytesToHex } from '@noble/hashes/utils.js';
import { sha256Of } from '@x/internal/digests';
import { BoundedMap } from '@x/internal/limits';
import type { ViewOptions } from '@x/internal/views';
import type { Registry } from '../../registry.js';
import { MAX_URI_LENGTH } from '../subscriptions/upstream-subscriptions.js';

export const appItself = Symbol('the app itself');
export type NameOwner = string | typeof appItself;

/** Names per owner that no server offers any more. */
const MAX_GONE = 10_000;
/** Roles without rules whose names are kept, in case rules are added. */
const MAX_UNKNOWN = 1_000;
/** Server groups per role. */
const MAX_GROUPS = 1_000;

/** The owner of each name of one kind. The first owner keeps a name. */
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
   * @returns The owner, which may be none of the claimants; `undefined` for several claimants without an owner.
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
   * Evicts the oldest names of owners that have too many.
   *
   * @param offered - Names to keep. Default: none.
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

export class AudienceNames {
  readonly tools = new NameOwners();
  readonly resources = new NameOwners();
  readonly resourceTemplates = new NameOwners();
  readonly prompts = new NameOwners();
  /**
   * Resources that were read, by `readName`. Kept apart: callers choose these names, which must evict no listed one.
   */
  readonly reads = new NameOwners();
  /** Tools by their own names, which apps use with prefixed names, too. */
  readonly apps = new NameOwners();
  /** Resources that apps read by their own URIs, by `readName`. */
  readonly appReads = new NameOwners();
}

/** Callers may choose URIs of megabytes, so long ones become digests. */
export function readName(uri: string): string {
  return uri.length <= MAX_URI_LENGTH ? uri : `\0sha256:${bytesToHex(sha256Of(uri))}`;
}

interface RoleNames {
  readonly whole: AudienceNames;
  readonly groups: BoundedMap<string, AudienceNames>;
}

/** Names of one registry, by `keyOf`. */
class RegistryNames {
  readonly #known = new Map<string, RoleNames>();
  /** Bounded, because callers may choose names of roles without rules. */
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
 * Returns the same names for all audiences with the same rights. Each role has its own owners, so a server that a role
 * may not use takes no name from it.
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

/** Without role and principal, everything is allowed. A principal has the default role. */
function keyOf({ role, ...options }: ViewOptions): string {
  if (role !== undefined) return `role ${role}`;
  return 'principal' in options ? 'principal' : 'everything';
}

/** Returns the item if all are the same. */
export function onlyOf<Item>(items: readonly Item[]): Item | undefined {
  return new Set(items).size === 1 ? items[0] : undefined;
}

/** A name that several servers have. */
export interface Collision {
  /** The name for clients. */
  readonly name: string;
  /** In the order of the gateway; "the app itself" for a tool of the registry's own. */
  readonly servers: readonly string[];
  /** The first server with the name, which keeps it even while it does not offer it. */
  readonly owner?: string;
}

/** Returns `undefined` if only the owner has the name. */
export function collisionOf(
  name: string,
  claimants: readonly NameOwner[],
  owner: NameOwner | undefined,
): Collision | undefined {
  const servers = [...new Set(claimants)];
  if (servers.length === 1 && servers[0] === owner) return undefined;
  return { name, servers: servers.map(textOf), ...(owner === undefined ? {} : { owner: textOf(owner) }) };
}

export function explainCollision({ name, servers, owner }: Collision): string {
  if (owner === undefined) {
    return `${JSON.stringify(name)} is not served, because several servers have it: ${servers.join(', ')}`;
  }
  const others = servers.filter((server) => server !== owner).join(', ');
  return `${JSON.stringify(name)} of ${others} is not served, because the name is of ${owner}, which had it first`;
}

function textOf(owner: NameOwner): string {
  return owner === appItself ? 'the app itself' : (owner as string);
}
