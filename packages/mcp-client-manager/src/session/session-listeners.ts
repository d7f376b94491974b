import type { OwnerChoice } from './hosts-under-way.js';

/** What a session tells while it is open. Nothing is told after its end. */
export interface SessionListeners {
  /** The server says that one of its lists has changed, or may have. */
  readonly onListChanged: (list: ServerList) => void;
  /** A resource that was subscribed to has changed. */
  readonly onResourceUpdated: (uri: string) => void;
  /** `notifications/elicitation/complete`. Untrusted text. */
  readonly onElicitationCompleted: (elicitationId: string) => void;
  /** A notification that nobody here knows. Untrusted. */
  readonly onNotification?: ((method: string, params: Readonly<Record<string, unknown>>) => void) | undefined;
  /** `notifications/message`. Untrusted text. */
  readonly onLog: (entry: ServerLogEntry) => void;
  /** How many calls are sent and not answered yet, whenever that changes. */
  readonly onCallsInFlight: (count: number) => void;
}

export type ServerList = 'tools' | 'resources' | 'prompts';

/** One entry of a server's log, as the protocol defines it. */
export interface ServerLogEntry {
  readonly level: 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';
  readonly logger?: string | undefined;
  readonly data: unknown;
  /**
   * For whom the server was at work when it wrote the entry, as `CallHost.owner` says it. Over Streamable HTTP that is the owner of the
   * request on whose stream the entry came. Elsewhere the protocol does not tie an entry to a request, so it is the owner of all requests
   * that were under way or had ended a moment before, or, without any, the only owner that has used the session. `several`: there is more
   * than one, or the request was made for nobody in particular. `undefined`: there was none yet.
   */
  readonly about?: OwnerChoice | undefined;
}
