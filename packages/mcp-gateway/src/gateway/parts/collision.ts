import { appItself, type NameOwner } from '../naming/name-owners.js';

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
