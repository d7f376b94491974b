import type { OwnerChoice } from './server-requests/active-callers.js';

/** Receives the events of an open session; none follow its end. */
export interface SessionListeners {
  readonly onListChanged: (list: ServerList, cause: ListChangeCause) => void;
  readonly onResourceUpdated: (uri: string) => void;
  /** `notifications/elicitation/complete`. Untrusted. */
  readonly onElicitationCompleted: (elicitationId: string) => void;
  /** Any other notification. Untrusted. */
  readonly onNotification?: ((method: string, params: Readonly<Record<string, unknown>>) => void) | undefined;
  /** `notifications/message`. Untrusted. */
  readonly onLog: (entry: ServerLogEntry) => void;
  readonly onCallsInFlight: (count: number) => void;
}

/** `reopened`: notifications may have been lost. */
export type ListChangeCause = 'announced' | 'reopened';

export type ServerList = 'tools' | 'resources' | 'prompts';

/** One log entry of a server. */
export interface ServerLogEntry {
  readonly level: 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';
  readonly logger?: string | undefined;
  readonly data: unknown;
  /**
   * Owner (`CallHandler.owner`) of the requests that the entry may be about. Over Streamable HTTP: the owner of the
   * request on whose stream it came. On other transports: the owner of all requests that are in progress or have just
   * ended, or else the only owner so far. `several`: more than one owner, or a request without a handler. `undefined`:
   * there was no request yet.
   */
  readonly about?: OwnerChoice | undefined;
}
