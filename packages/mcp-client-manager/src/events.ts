import type { ServerLogEntry } from './session/session-listeners.js';
import type { ServerState } from './supervisor/state/server-state.js';

/** What is told, by the name of the event. Each comes after reads show what it tells. */
export interface ManagerEvents {
  /** A server moved from one state to another: another phase, another step of its start, another health. */
  'server-state': { readonly server: string; readonly previous: ServerState; readonly state: ServerState };
  /** What a server's health checks say has changed; see `status().health`. */
  'server-health': { readonly server: string; readonly health: 'unknown' | 'healthy' | 'unhealthy' };
  /**
   * A server and what it started take more memory than its spec allows; it is about to be started anew. Told on Linux
   * only.
   */
  'memory-exceeded': { readonly server: string; readonly memoryBytes: number; readonly limitBytes: number };
  /** Another configuration was applied. Names of the servers that are affected. */
  'servers-changed': {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly updated: readonly string[];
    readonly restarted: readonly string[];
  };
  /** One line that a stdio server wrote to stderr, without its end. Untrusted text. */
  'server-stderr': { readonly server: string; readonly line: string };
  /**
   * A server was stopped, and processes that it has started and that have left its process group still run. They are not
   * ended: it may be that they are meant to stay. Told on Linux only.
   */
  'processes-escaped': { readonly server: string; readonly pids: readonly number[] };
  /** A server wrote a line to stdout that is no message. Told once a generation; all are counted in `status()`. */
  'server-junk': { readonly server: string; readonly text: string };
  /** What `listTools` of a server answers has changed. */
  'tools-changed': { readonly server: string; readonly tools: number };
  /** A server says that its list of resources, or of prompts, has changed. */
  'resources-changed': { readonly server: string };
  'prompts-changed': { readonly server: string };
  /** A resource that was subscribed to has changed. */
  'resource-updated': { readonly server: string; readonly uri: string };
  /** A notification that no other event is there for, as it came; about 200 a second at most. Untrusted. */
  'server-notification': {
    readonly server: string;
    readonly method: string;
    readonly params: Readonly<Record<string, unknown>>;
  };
  /** What the user was to do at a URL that the server has named is done, so the server says. Untrusted text. */
  'elicitation-completed': { readonly server: string; readonly elicitationId: string };
  /** An entry of a server's own log. Untrusted text. */
  'server-log': ServerLogEntry & { readonly server: string };
}

/** The names of all events. */
export type EventName = keyof ManagerEvents;
