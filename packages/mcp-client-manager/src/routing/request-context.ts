import type { Telemetry } from '@x/internal/contracts';
import type { ManagerError } from '../errors.js';
import type { Params, RawResult } from '../session/peer/json-rpc.js';
import type { Era, OutgoingRequest, RequestHandle, Session } from '../session/session.js';
import type { Gate } from './gate.js';

/** The supervisor, from the view of a request. */
export interface RequestedServer {
  /** @param era - Of the client, if it matters. */
  readySessionFor(era: Era | undefined): Session | undefined;
  acquireSessionFor(era: Era | undefined, limit: { readonly signal: AbortSignal }): Promise<Session>;
  lossOf(session: Session): Promise<ManagerError>;
  readonly whyNotReady: string | undefined;
  stderrTail(): readonly string[];
}

export interface RequestContext {
  readonly server: string;
  readonly supervisor: RequestedServer;
  readonly gate: Gate;
  readonly telemetry: Telemetry | undefined;
}

export interface RequestSpec {
  readonly method: string;
  readonly params: Params;
  readonly tool?: string | undefined;
  /** True if the request goes to the same session for all clients. Default `false`. */
  readonly isShared?: boolean | undefined;
  /** True if a repetition has no further effect. Default `false`. */
  readonly isRepeatable?: boolean | undefined;
  /** Converts the result. @throws When it is unusable. Default: unchanged. */
  readonly read?: ((result: RawResult) => RawResult) | undefined;
  /** Default: `Session.send`. */
  readonly send?: ((session: Session, request: OutgoingRequest) => RequestHandle) | undefined;
}

export interface RequestOutcome {
  readonly resolve: (result: RawResult) => void;
  readonly reject: (reason: unknown) => void;
}
