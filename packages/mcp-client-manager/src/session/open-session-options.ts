import type { ClientHandlers } from './server-requests/client-handlers.js';
import type { SessionListeners } from './session-listeners.js';

/** Options of all transports. */
export interface OpenSessionOptions {
  readonly server: string;
  readonly protocol: 'auto' | 'legacy' | '2026-07-28';
  /** Era of the server's last session. Saves `auto` a round trip. */
  readonly lastEra?: 'legacy' | 'modern' | undefined;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Aborts the handshake; the promise rejects with the signal's reason. */
  readonly signal: AbortSignal;
  readonly listeners: SessionListeners;
  /** Client handlers. */
  readonly handlers: ClientHandlers;
  /** Announced in addition to the capabilities of `handlers`. Default: none. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** Redacts the server's error messages. Default: no redaction. */
  readonly redact?: ((text: string) => string) | undefined;
  /** `true` checks structured results against the tool's output schema. */
  readonly validateOutput: boolean;
}
