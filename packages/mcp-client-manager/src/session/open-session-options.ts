import type { HostHandlers } from './host-handlers.js';
import type { SessionListeners } from './session-listeners.js';

/** What every way to open a session needs, whatever carries it. */
export interface OpenSessionOptions {
  readonly server: string;
  readonly protocol: 'auto' | 'legacy' | '2026-07-28';
  /** What the server spoke last time. Saves `auto` a round trip. */
  readonly lastEra?: 'legacy' | 'modern' | undefined;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Ends the handshake; the promise rejects with the signal's reason. */
  readonly signal: AbortSignal;
  readonly listeners: SessionListeners;
  /** Answers what the server asks of the host. */
  readonly handlers: HostHandlers;
  /** Announced to the server beside what `handlers` stand for. Default: nothing. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** Goes over what the server says in errors. Default: leaves it as it is. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Whether structured results are checked against the tool's output schema. */
  readonly validateOutput: boolean;
}
