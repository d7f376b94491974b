import type { RpcError } from '@x/internal/contracts';
import { isBranded } from '@x/internal/errors';

/** Codes of all failures that the manager itself reports. Part of the public API. */
export type ManagerErrorCode =
  /** No configured server has that name. */
  | 'unknown-server'
  /** The server offers no tool of that name, or its spec excludes it. */
  | 'unknown-tool'
  /** The server is stopped and its spec says `autoStart: false`. */
  | 'not-started'
  /** The server's spec says `disabled`. */
  | 'server-disabled'
  /** The start failed; `cause` is its error. */
  | 'start-failed'
  /** The spec has `unsetVariables`; nothing was started. */
  | 'not-set-up'
  /** The host's `confirmLaunch` did not allow the launch. */
  | 'launch-refused'
  /** A secret in the spec could not be looked up. */
  | 'unresolved-secret'
  | 'command-not-found'
  | 'command-not-executable'
  | 'directory-not-found'
  /** The operating system refused to start the process, for a reason that may pass. */
  | 'spawn-failed'
  /** The process exited during the handshake. */
  | 'exited-early'
  | 'handshake-timed-out'
  /** The server answered the handshake with an error. */
  | 'handshake-refused'
  /** Client and server have no protocol version in common. */
  | 'unsupported-protocol'
  /** The connection was lost before the call was sent. */
  | 'connection-lost'
  /** The connection was lost after the request was sent; it may have taken effect. */
  | 'outcome-unknown'
  | 'timed-out'
  /** Another party than the caller cancelled the call. A caller that cancels gets its signal's reason. */
  | 'cancelled'
  /** The queue is full, the call waited too long in it, or the server failed too often. Nothing was sent. */
  | 'busy'
  /** The server requires a sign-in by the user. */
  | 'auth-required'
  /** The server needs input that no client handler gave. */
  | 'input-refused'
  /** The server's result does not match its own output schema. */
  | 'invalid-result'
  /** The server does not offer the feature; see its capabilities. */
  | 'unsupported'
  | 'result-too-large'
  /** The server was stopped before it received the call. */
  | 'server-stopping'
  /** A process of the server outlived SIGKILL. */
  | 'stop-failed'
  /** The server no longer answers health checks. */
  | 'server-unresponsive'
  /** The server uses more memory than its spec allows. */
  | 'memory-exceeded'
  /** The server answered with a JSON-RPC error; `rpc` carries it unchanged. */
  | 'server-error'
  | 'closed';

/** Details of a failure beside its code and message. */
export interface ManagerErrorOptions extends ErrorOptions {
  readonly server?: string | undefined;
  readonly stderrTail?: readonly string[] | undefined;
  readonly rpc?: RpcError | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Default: implied by `code`. Required where `code` leaves open whether the request was sent. */
  readonly retryable?: boolean | undefined;
}

/** Failures that may pass, and that happen before a request is sent. */
const retryableCodes: ReadonlySet<ManagerErrorCode> = new Set(['busy', 'connection-lost', 'server-stopping']);

const brand = Symbol.for('@x/mcp-client-manager.error');

/** Error of the manager. `code` is part of the public API; `message` is for people. */
export class ManagerError extends Error {
  override readonly name = 'ManagerError';
  readonly [brand] = true;
  readonly code: ManagerErrorCode;
  readonly server: string | undefined;
  /** The server's last stderr lines, oldest first. Empty for HTTP servers. */
  readonly stderrTail: readonly string[];
  readonly rpc: RpcError | undefined;
  /**
   * True if the same call may succeed later and cannot take effect twice: the server did not receive it, or the tool
   * may safely run twice.
   */
  readonly retryable: boolean;
  /** With `busy`: milliseconds until a retry is useful, if known. */
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

export function unknownServer(name: string, names: Iterable<string>): ManagerError {
  const known = Array.from(names, (key) => `"${key}"`).join(', ') || 'none';
  return new ManagerError('unknown-server', `No server is named "${name}". Configured: ${known}.`, { server: name });
}

/** Also true for errors of another installed copy of this package. */
export function isManagerError(value: unknown): value is ManagerError {
  return isBranded(value, brand);
}
