/** Stands for all nodes of a fleet in the name of a server that several of them have as one. No node may be called so. */
export const FLEET_WIDE = 'fleet';

const FLEET_NAME = /@[A-Za-z0-9_-]{1,64}$/;

/** Names a server that a fleet brings: `server@node`, or `server@fleet` for one that several nodes have as one. */
export function fleetName(server: string, node: string): string {
  return `${server}@${node}`;
}

/** True if a name ends as those that a fleet brings. The own servers of a node have no such name. */
export function isFleetName(name: string): boolean {
  return FLEET_NAME.test(name);
}
