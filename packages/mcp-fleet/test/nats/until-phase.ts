import type { Fleet } from '../../src/fleet.js';
import type { FleetStatus } from '../../src/status.js';

/** Resolves when the node has the phase. Polls each turn of the event loop, because not every change emits an event. */
export async function untilPhase(fleet: Fleet, phase: FleetStatus['phase']): Promise<void> {
  while (fleet.status().phase !== phase) await new Promise((resolve) => setImmediate(resolve));
}
