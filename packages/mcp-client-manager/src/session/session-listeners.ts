import type { OwnerChoice } from './server-requests/active-callers.js';

/** Receives the events of an open session. No events follow its end. */
export interface SessionListeners {
  /** A list has changed, or may have. */
  readonly onListChanged: (list: ServerList) => void;
  /** A subscribed resource has changed. */
  readonly onResourceUpdated: (uri: string) => void;
  /** `notifications/elicitation/complete`. Untrusted text. */
  readonly onElicitationCompleted: (elicitationId: string) => void;
  /** Any other notification. Untrusted. */
  readonly onNotification?: ((method: string, params: Readonly<Record<string, unknown>>) => void) | undefined;
  /** `notifications/message`. Untrusted text. */
  readonly onLog: (entry: ServerLogEntry) => void;
  /** Number of calls in progress, on each change. */
  readonly onCallsInFlight: (count: number) => void;
}

export type ServerList = 'tools' | 'resources' | 'prompts';

/** One log entry of a server, as the protocol defines it. */
export interface ServerLogEntry {
  readonly level: 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';
  readonly logger?: string | undefined;
  readonly data: unknown;
  /**
   * Owner (`CallHandler.owner`) of the requests that the entry may be about. Over Streamable HTTP: the owner of the
   * request on whose stream the entry came. On other transports the protocol names no request, so it is the owner of
   * all requests that were in progress or had ended a moment before, or else the only owner that has used the session.
   * `several`: there is more than one owner, or a request without a handler. `undefined`: there was no request yet.
   */
  readonly about?: OwnerChoice | undefined;
}
