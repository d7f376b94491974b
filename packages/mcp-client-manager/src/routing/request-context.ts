import type { ManagerError } from '../errors.js';
import type { Params, RawResult } from '../session/json-rpc.js';
import type { OutgoingRequest, RequestHandle, Session } from '../session/session.js';
import type { Gate } from './gate.js';

/** What a request needs of whoever keeps its server. */
export interface RequestedServer {
  /** The session of a server that takes requests right now. */
  readonly readySession: Session | undefined;
  /** Starts the server if that is allowed, and waits for its session. */
  wanted(limit: { signal: AbortSignal }): Promise<Session>;
  /** How a session ended. */
  lossOf(session: Session): Promise<ManagerError>;
  /** Why the server takes no requests now, for people, where a failure is known. */
  readonly whyNotReady: string | undefined;
  /** The last lines that the server's process wrote to stderr, oldest first. */
  stderrTail(): readonly string[];
}

/** What all requests to one server have in common. */
export interface RequestContext {
  readonly server: string;
  readonly supervisor: RequestedServer;
  /** Where the request has its turn, and tells what becomes of it. */
  readonly gate: Gate;
}

/** What is asked of the server. */
export interface Asked {
  readonly method: string;
  readonly params: Params;
  /** The tool, of a call. */
  readonly tool?: string | undefined;
  /** Whether it may run twice with the effect of once. Default `false`. */
  readonly isSafeTwice?: boolean | undefined;
  /** What the caller gets of the result. @throws Why it is of no use. Default: the result itself. */
  readonly read?: ((result: RawResult) => RawResult) | undefined;
  /** Asks a session by other means than one request. Default: `Session.send`. */
  readonly send?: ((session: Session, request: OutgoingRequest) => RequestHandle) | undefined;
}

/** The two ends of a promise. */
export interface RequestOutcome {
  readonly resolve: (result: RawResult) => void;
  readonly reject: (reason: unknown) => void;
}
