import type { RolePolicy } from '../../registry.js';
import type { GatewayNames } from '../naming/gateway-names.js';
import { type NameOwners, onlyOf } from '../naming/name-owners.js';
import type { UpstreamEntry } from '../upstream.js';
import { type Collision, collisionOf } from './collision.js';
import { type PartKind, partRules } from './part-kinds.js';

/** One resource, template or prompt that an audience may use. */
export interface VisiblePart {
  readonly server: string;
  /** Name within its server. */
  readonly key: string;
  /** Name for clients. */
  readonly name: string;
  readonly entry: UpstreamEntry;
}

export interface MergedParts {
  /** In the order of the servers and their lists. */
  readonly parts: readonly VisiblePart[];
  /** Names of several servers, or of one that is not their owner. Only the owner's entries are in `parts`. */
  readonly collisions: readonly Collision[];
}

export interface MergeOptions {
  readonly kind: PartKind;
  readonly names: GatewayNames;
  readonly policy: RolePolicy;
  /** Default: a name of several servers belongs to none. */
  readonly owners?: NameOwners | undefined;
  /** Returns servers that may have a name without listing it. */
  readonly alsoOf?: ((name: string) => readonly string[]) | undefined;
}

export interface ListedServer {
  readonly server: string;
  readonly items: readonly UpstreamEntry[];
}

/** Entries that the policy hides cause no collision. */
export function mergeParts(listed: readonly ListedServer[], options: MergeOptions): MergedParts {
  const { owners, alsoOf = () => [] } = options;
  const byName = new Map<string, VisiblePart[]>();
  for (const part of listed.flatMap((list) => visibleParts(list, options))) {
    const same = byName.get(part.name);
    if (same === undefined) byName.set(part.name, [part]);
    // Of a name that one server lists twice, the first is kept.
    else if (same.every(({ server }) => server !== part.server)) same.push(part);
  }
  const parts: VisiblePart[] = [];
  const collisions: Collision[] = [];
  for (const [name, same] of byName) {
    const claimants = [...same.map(({ server }) => server), ...alsoOf(name)];
    const owner = owners === undefined ? onlyOf(claimants) : owners.award(name, claimants);
    parts.push(...same.filter(({ server }) => server === owner));
    const collision = collisionOf(name, claimants, owner);
    if (collision !== undefined) collisions.push(collision);
  }
  owners?.trim(byName);
  return { parts, collisions };
}

export function visibleParts(
  { server, items }: ListedServer,
  { kind, names, policy }: MergeOptions,
): readonly VisiblePart[] {
  const { keyOf, subjectOf, nameOf } = partRules[kind];
  return items.flatMap((entry) => {
    const key = keyOf(entry);
    if (key === undefined || !policy(subjectOf(server, key)).isAllowed) return [];
    return [{ server, key, name: nameOf(names, server, key), entry }];
  });
}
