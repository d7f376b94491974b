import type { FleetError } from './errors.js';

/** What is told, by the name of the event. Each comes after reads show what it tells. */
export interface FleetEvents {
  /** This node has taken its name, and knows all that the others offer. Also after it had lost the bus. */
  joined: { readonly node: string; readonly incarnation: number };
  /**
   * This node cannot join, or is no part of the fleet any more: `node-taken`, `superseded`, `forbidden`,
   * `unsuitable-runtime`. It stays so.
   */
  'join-failed': { readonly error: FleetError };
  /** This node has left by itself. */
  left: { readonly node: string };
  /** The bus can be reached, or cannot. Servers of this node are not affected. */
  'bus-state': { readonly isConnected: boolean };
  /**
   * The bus could not be reached, or does not let this node do what it has to: `bus-down`, `forbidden`, `unsuitable-bus`. Told
   * once for each reason. It is tried again by itself; `status().error` has it until then.
   */
  'bus-failed': { readonly error: FleetError };
  /** Another node came, went silent for three heartbeats, or left. */
  'node-state': { readonly node: string; readonly state: 'alive' | 'unreachable' | 'left' };
  /** `sources()` answers differently. Names of sources. */
  'sources-changed': { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** Another node runs a server that the fleet runs once, or nobody does. */
  'singleton-state': { readonly server: string; readonly holder: string | undefined };
  /**
   * The bus forbade something to this node, as `BusEvent` tells it. An alarm: permissions are wrong, or this node is
   * not what it says.
   */
  forbidden: { readonly operation: 'publish' | 'subscribe' | 'write'; readonly subject: string };
  /** Something could not be told to the fleet, or was not taken from it. The fleet goes on. */
  problem: { readonly message: string; readonly error?: unknown };
}
