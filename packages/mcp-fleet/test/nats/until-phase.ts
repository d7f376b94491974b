import type { Fleet } from '../../src/fleet.js';
import type { FleetStatus } from '../../src/status.js';

/** Settles when the node is so. Looked at again with each turn of the event loop, for no event tells of each change. */
export async function untilPhase(fleet: Fleet, phase: FleetStatus['phase']): Promise<void> {
  while (fleet.status().phase !== phase) await new Promise((resolve) => setImmediate(resolve));
}
