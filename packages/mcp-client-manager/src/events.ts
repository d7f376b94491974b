import type { ServerLogEntry } from './session/session-listeners.js';
import type { ServerState } from './supervisor/state/server-state.js';

/** Payloads by event name. An event is emitted after reads already show the change. */
export interface ManagerEvents {
  /** A server changed its state: another phase, step of its start, or health. */
  'server-state': { readonly server: string; readonly previous: ServerState; readonly state: ServerState };
  /** The verdict of a server's health checks changed; see `status().health`. */
  'server-health': { readonly server: string; readonly health: 'unknown' | 'healthy' | 'unhealthy' };
  /** The processes of a server use more memory than its spec allows; the server is restarted next. Linux only. */
  'memory-exceeded': { readonly server: string; readonly memoryBytes: number; readonly limitBytes: number };
  /** Another configuration was applied. Lists the affected servers by name. */
  'servers-changed': {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly updated: readonly string[];
    readonly restarted: readonly string[];
  };
  /** One line that a stdio server wrote to stderr, without its line end. Untrusted text. */
  'server-stderr': { readonly server: string; readonly line: string };
  /**
   * A stopped server left processes running outside its process group. They are not ended, since some may be meant to
   * stay. Linux only.
   */
  'processes-escaped': { readonly server: string; readonly pids: readonly number[] };
  /**
   * A server wrote a line to stdout that is not a message. Emitted once per generation; `status()` counts all lines.
   */
  'server-junk': { readonly server: string; readonly text: string };
  /** The result of `listTools` changed for a server. */
  'tools-changed': { readonly server: string; readonly tools: number };
  /** A server announced that its resources, or its prompts, have changed. */
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
  /** A server reports that the user has finished what it requested at a URL. Untrusted text. */
  'elicitation-completed': { readonly server: string; readonly elicitationId: string };
  /** An entry of a server's own log. Untrusted text. */
  'server-log': ServerLogEntry & { readonly server: string };
}

/** Name of an event. */
export type EventName = keyof ManagerEvents;
