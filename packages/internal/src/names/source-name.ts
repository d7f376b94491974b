/** Stands for all nodes of a fleet in the name of a server that several of them have. No node may have this name. */
export const FLEET_WIDE = 'fleet';

const FLEET_NAME = /@[A-Za-z0-9_-]{1,64}$/;

/** Name of a fleet's server: `server@node`, or `server@fleet` for one that several nodes have. */
export function fleetName(server: string, node: string): string {
  return `${server}@${node}`;
}

/** True if a name ends like a fleet's server. A node's own servers have no such name. */
export function isFleetName(name: string): boolean {
  return FLEET_NAME.test(name);
}
