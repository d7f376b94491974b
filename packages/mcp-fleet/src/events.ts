import type { EventNames } from '@x/internal/events';
import type { FleetError } from './errors.js';

/** Events of a fleet by name. Listeners run after the state has changed. */
export interface FleetEvents {
  /** This node holds its name and knows all offers of other nodes. Emitted again after a reconnect. */
  joined: { readonly node: string; readonly incarnation: number };
  /**
   * This node cannot join, or lost its membership for good: `node-taken`, `superseded`, `forbidden`,
   * `unsuitable-runtime`.
   */
  'join-failed': { readonly error: FleetError };
  left: { readonly node: string };
  /** The connection to the bus changed. Servers of this node keep working. */
  'bus-state': { readonly isConnected: boolean };
  /**
   * The bus is unreachable or refuses this node: `bus-down`, `forbidden`, `unsuitable-bus`. Emitted once per reason.
   * The fleet retries; `status().error` has the reason until then.
   */
  'bus-failed': { readonly error: FleetError };
  /** Another node appeared, missed three heartbeats, or left. */
  'node-state': { readonly node: string; readonly state: 'alive' | 'unreachable' | 'left' };
  /** The result of `sources()` changed. Names of sources. */
  'sources-changed': { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** A singleton moved to another node, or no node holds it. */
  'singleton-state': { readonly server: string; readonly holder: string | undefined };
  /**
   * The bus refused an operation of this node, as in `BusEvent`: the permissions are wrong, or another process uses
   * this node's login.
   */
  forbidden: { readonly operation: 'publish' | 'subscribe' | 'write'; readonly subject: string };
  /** A publication or a record was rejected. The fleet continues. */
  problem: { readonly message: string; readonly error?: unknown };
}

export const fleetEvents: EventNames<FleetEvents> = {
  joined: true,
  'join-failed': true,
  left: true,
  'bus-state': true,
  'bus-failed': true,
  'node-state': true,
  'sources-changed': true,
  'singleton-state': true,
  forbidden: true,
  problem: true,
};
