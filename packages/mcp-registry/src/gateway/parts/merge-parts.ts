import type { RolePolicy } from '../../roles/compile-role.js';
import type { GatewayNames } from '../naming/gateway-names.js';
import type { UpstreamEntry } from '../upstream.js';
import { type PartKind, partRules } from './part-kinds.js';

/** One resource, template or prompt that somebody may use. */
export interface VisiblePart {
  readonly server: string;
  /** How its server tells it from others. */
  readonly key: string;
  /** How clients do. */
  readonly name: string;
  readonly entry: UpstreamEntry;
}

/** A name that several servers have. */
export interface Collision {
  /** As clients would see it. */
  readonly name: string;
  /** In the order in which the gateway has them; "the app itself" for a tool of the registry's own. */
  readonly servers: readonly string[];
}

export interface MergedParts {
  /** In the order of the servers, and of each server's own list. */
  readonly parts: readonly VisiblePart[];
  /** Names that more than one part would have. None of those is among the parts: no order of arrival decides. */
  readonly collisions: readonly Collision[];
}

export interface MergeOptions {
  readonly kind: PartKind;
  readonly names: GatewayNames;
  readonly policy: RolePolicy;
}

export interface ListedServer {
  readonly server: string;
  readonly items: readonly UpstreamEntry[];
}

/** One list of what all servers offer, without what the policy keeps back. That does not collide with anything, either. */
export function mergeParts(listed: readonly ListedServer[], options: MergeOptions): MergedParts {
  const byName = new Map<string, VisiblePart[]>();
  for (const part of listed.flatMap((list) => visibleParts(list, options))) {
    const same = byName.get(part.name);
    if (same === undefined) byName.set(part.name, [part]);
    // One server that names something twice: the first is kept.
    else if (same.every(({ server }) => server !== part.server)) same.push(part);
  }
  const parts: VisiblePart[] = [];
  const collisions: Collision[] = [];
  for (const [name, same] of byName) {
    if (same.length === 1) parts.push(...same);
    else collisions.push({ name, servers: same.map(({ server }) => server) });
  }
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
