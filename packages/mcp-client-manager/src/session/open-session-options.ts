import type { ClientHandlers } from './server-requests/client-handlers.js';
import type { SessionListeners } from './session-listeners.js';

export interface OpenSessionOptions {
  readonly server: string;
  readonly protocol: 'auto' | 'legacy' | '2026-07-28';
  /** Era of the last session. Saves `auto` a round trip. */
  readonly lastEra?: 'legacy' | 'modern' | undefined;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly signal: AbortSignal;
  readonly listeners: SessionListeners;
  readonly handlers: ClientHandlers;
  /** Announced beside the capabilities of `handlers`. Default: none. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** Default: no redaction. */
  readonly redact?: ((text: string) => string) | undefined;
  readonly validateOutput: boolean;
}
