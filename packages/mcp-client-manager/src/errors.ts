import type { RpcError } from '@x/internal/contracts';
import { isBranded } from '@x/internal/errors';

/** Every kind of failure that the manager itself reports. Part of the public API. */
export type ManagerErrorCode =
  /** No server of that name is configured. */
  | 'unknown-server'
  /** The server offers no tool of that name, or its spec keeps that tool back. */
  | 'unknown-tool'
  /** The server is stopped and its spec says `autoStart: false`. */
  | 'not-started'
  /** The server's spec says `disabled`. */
  | 'server-disabled'
  /** The server could not be started; `cause` is the start's own error. */
  | 'start-failed'
  /** The host's `confirmLaunch` did not agree to what the server would run. */
  | 'launch-refused'
  /** The spec refers to a secret, and its value could not be looked up. */
  | 'unresolved-secret'
  | 'command-not-found'
  | 'command-not-executable'
  | 'directory-not-found'
  /** The operating system refused to start the process for a reason that may pass. */
  | 'spawn-failed'
  /** The process ended before the handshake was over. */
  | 'exited-early'
  | 'handshake-timed-out'
  /** The server answered the handshake with an error. */
  | 'handshake-refused'
  /** Both sides speak the protocol, but no version of it in common. */
  | 'unsupported-protocol'
  /** The connection is gone; for a call: before the request was sent. */
  | 'connection-lost'
  /** The connection went away after the request was sent: it may or may not have had its effect. */
  | 'outcome-unknown'
  | 'timed-out'
  /** The call was cancelled by somebody else than its caller, who gets the reason of their own signal. */
  | 'cancelled'
  /**
   * The server has as many calls waiting as its spec allows, the call has waited too long among them, or the server has
   * failed too often just now. Nothing was sent.
   */
  | 'busy'
  /** The server wants the user to sign in first. */
  | 'auth-required'
  /** The server needs an answer of the host to go on, and the host's handler refused it or there is none. */
  | 'input-refused'
  /** The server's output does not fit the schema that it gave for it. */
  | 'invalid-result'
  /** The server does not offer what was asked for; see its capabilities. */
  | 'unsupported'
  | 'result-too-large'
  /** The server was stopped before it had the call. */
  | 'server-stopping'
  /** Something of the server's process group outlived SIGKILL. */
  | 'stop-failed'
  /** The server stopped answering its health checks. */
  | 'server-unresponsive'
  /** The server took more memory than its spec allows. */
  | 'memory-exceeded'
  /** The server answered with a JSON-RPC error; `rpc` carries it unchanged. */
  | 'server-error'
  | 'closed';

/** What is known of a failure beside its code and message. */
export interface ManagerErrorOptions extends ErrorOptions {
  readonly server?: string | undefined;
  readonly stderrTail?: readonly string[] | undefined;
  readonly rpc?: RpcError | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Default: what `code` says by itself. To be given where that leaves open whether the request was sent. */
  readonly retryable?: boolean | undefined;
}

/** Failures that may pass by themselves and that no request was sent for, whatever they are about. */
const retryableCodes: ReadonlySet<ManagerErrorCode> = new Set(['busy', 'connection-lost', 'server-stopping']);

const brand = Symbol.for('@x/mcp-client-manager.error');

/** Every failure the manager itself reports. `code` is part of the public API; `message` is for people. */
export class ManagerError extends Error {
  override readonly name = 'ManagerError';
  readonly [brand] = true;
  readonly code: ManagerErrorCode;
  /** The server that the failure is about, as named in its spec. */
  readonly server: string | undefined;
  /** The last lines that the server wrote to stderr before the failure, oldest first. Empty for HTTP servers. */
  readonly stderrTail: readonly string[];
  readonly rpc: RpcError | undefined;
  /**
   * Whether the same call, made again, may go well and cannot take effect twice: the server does not have it, or it may
   * safely run twice, and the reason may pass by itself.
   */
  readonly retryable: boolean;
  /** With `busy`: how long to wait before that, in milliseconds, when that is known. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ManagerErrorCode,
    message: string,
    { server, stderrTail = [], rpc, retryAfterMs, retryable, ...options }: ManagerErrorOptions = {},
  ) {
    super(message, options);
    this.code = code;
    this.server = server;
    this.stderrTail = stderrTail;
    this.rpc = rpc;
    this.retryable = retryable ?? retryableCodes.has(code);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Also true for an error made by another installed copy of this package. */
export function isManagerError(value: unknown): value is ManagerError {
  return isBranded(value, brand);
}
