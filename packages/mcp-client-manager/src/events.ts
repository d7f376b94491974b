import type { EventNames } from '@x/internal/events';
import type { ServerLogEntry } from './session/session-listeners.js';
import type { ServerState } from './supervisor/state/server-state.js';

/** Payloads by event name. Emitted after reads already show the change. */
export interface ManagerEvents {
  /** A server changed its phase, the step of its start, or its health. */
  'server-state': { readonly server: string; readonly previous: ServerState; readonly state: ServerState };
  /** The verdict of the health checks changed, or a periodic check failed again; see `status().health`. `reason`: of the failure. */
  'server-health': {
    readonly server: string;
    readonly health: 'unknown' | 'healthy' | 'unhealthy';
    readonly reason?: string | undefined;
  };
  /** A health check passed, or a message came in its place, also the handshake. `status().healthCheckedAt` has the time. */
  'check-passed': { readonly server: string };
  /** A server uses more memory than its spec allows, and is restarted next. Linux only. */
  'memory-exceeded': { readonly server: string; readonly memoryBytes: number; readonly limitBytes: number };
  /** Another configuration is in effect. Lists the affected servers by name; their processes may still finish calls. */
  'servers-changed': {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly updated: readonly string[];
    readonly restarted: readonly string[];
  };
  /** One line that a stdio server wrote to stderr, without its line end. Untrusted. */
  'server-stderr': { readonly server: string; readonly line: string };
  /**
   * A stopped server left processes running outside its process group. They are not ended: some may be meant to stay.
   * Linux only.
   */
  'processes-escaped': { readonly server: string; readonly pids: readonly number[] };
  /** A server wrote a line to stdout that is not a message. Emitted once per generation; `status()` counts all. */
  'server-junk': { readonly server: string; readonly text: string };
  /** The result of `listTools` changed for a server. */
  'tools-changed': { readonly server: string; readonly tools: number };
  /** A server announced changed tools, and the result of `listTools` is the same. */
  'tools-relisted': { readonly server: string };
  /** A server announced changed resources or prompts. */
  'resources-changed': { readonly server: string };
  'prompts-changed': { readonly server: string };
  /** A subscribed resource changed. */
  'resource-updated': { readonly server: string; readonly uri: string };
  /** A notification that has no event here, unchanged. At most about 200 a second. Untrusted. */
  'server-notification': {
    readonly server: string;
    readonly method: string;
    readonly params: Readonly<Record<string, unknown>>;
  };
  /** The user has finished what a server requested at a URL. Untrusted. */
  'elicitation-completed': { readonly server: string; readonly elicitationId: string };
  /** An entry of a server's own log, or of the manager about its second session. Untrusted. */
  'server-log': ServerLogEntry & { readonly server: string };
}

export const managerEvents: EventNames<ManagerEvents> = {
  'server-state': true,
  'server-health': true,
  'check-passed': true,
  'memory-exceeded': true,
  'servers-changed': true,
  'server-stderr': true,
  'processes-escaped': true,
  'server-junk': true,
  'tools-changed': true,
  'tools-relisted': true,
  'resources-changed': true,
  'prompts-changed': true,
  'resource-updated': true,
  'server-notification': true,
  'elicitation-completed': true,
  'server-log': true,
};

/** Name of an event. */
export type EventName = keyof ManagerEvents;
