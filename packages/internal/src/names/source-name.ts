/** Stands for a node in the name of a server that several nodes have. No node may have this name. */
export const FLEET_WIDE = 'fleet';

const FLEET_NAME = /@[A-Za-z0-9_-]{1,64}$/;

export function fleetName(server: string, node: string): string {
  return `${server}@${node}`;
}

/** True for the name of a fleet's server. A node's own servers have no such name. */
export function isFleetName(name: string): boolean {
  return FLEET_NAME.test(name);
}
