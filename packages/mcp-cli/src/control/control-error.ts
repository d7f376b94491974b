import { isBranded } from '@x/internal/errors';
import { isRecord } from '@x/internal/json';
import type { ManagerErrorCode, RpcError } from '@x/mcp-client-manager';
import type { ConfigErrorCode } from '@x/mcp-config-schema';
import type { FleetErrorCode } from '@x/mcp-fleet';
import type { RegistryErrorCode } from '@x/mcp-registry';
import { CommandError, type CommandErrorOptions, type ExitCode, exitCodes } from '../exit-codes.js';

/** Every kind of failure that a set of servers can report to a command, wherever the servers run. */
export type ControlErrorCode =
  | ManagerErrorCode
  | RegistryErrorCode
  | ConfigErrorCode
  | FleetErrorCode
  /** The daemon belongs to a fleet already, and to one only. */
  | 'in-another-fleet'
  /** The fleet runs the server once, and another node does. */
  | 'runs-elsewhere'
  /** A value of the request makes no sense: a role that the config does not know, a limit out of its bounds. */
  | 'invalid-request'
  /** A failure that nobody foresaw; `message` is all there is. */
  | 'internal'
  | DaemonErrorCode;

/** What can be wrong with the daemon itself. */
export type DaemonErrorCode =
  /** The daemon ended before it had answered. What was asked for may or may not be done; it can be asked again. */
  | 'daemon-lost'
  /** There is a daemon, and it does not answer. */
  | 'daemon-unreachable'
  /** Its worker has crashed so often that it is not started any more. */
  | 'daemon-parked'
  | 'daemon-start-failed'
  /** No daemon runs, and the command needs one. */
  | 'daemon-not-running'
  /** Whoever answers is not our daemon. */
  | 'daemon-untrusted'
  /** Daemon and command are of two versions that do not understand one another. */
  | 'version-skew'
  /** A directory that only this user should be able to write to, or the state file in it, is another's, or open to others. */
  | 'unsafe-directory'
  /** A request or an answer is larger than the connection carries. */
  | 'message-too-large';

export interface ControlErrorOptions extends CommandErrorOptions {
  readonly retryable?: boolean | undefined;
  /** What the server has answered with, for the client that is to have it unchanged. */
  readonly rpc?: RpcError | undefined;
}

/** A failure as it crosses the daemon's socket. Known secrets are starred out before. */
export interface ControlErrorData {
  readonly code: ControlErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly retryable: boolean;
  readonly details: readonly string[];
  readonly rpc?: RpcError | undefined;
}

const brand = Symbol.for('@x/mcp-cli.control-error');

/** A failure of what a command asked for, the same whether the servers run in this process or in the daemon. */
export class ControlError extends CommandError {
  override readonly name = 'ControlError';
  readonly [brand] = true;
  readonly code: ControlErrorCode;
  /** Whether the same request, made again, may go well and cannot take effect twice. */
  readonly retryable: boolean;
  /** What the server has answered with, where that is the failure. */
  readonly rpc: RpcError | undefined;

  constructor(
    code: ControlErrorCode,
    message: string,
    { retryable = false, rpc, ...options }: ControlErrorOptions = {},
  ) {
    super(exitCodeFor(code), message, options);
    this.code = code;
    this.retryable = retryable;
    this.rpc = rpc;
  }
}

export function isControlError(value: unknown): value is ControlError {
  return isBranded(value, brand);
}

export function controlErrorData({ code, message, hint, retryable, details, rpc }: ControlError): ControlErrorData {
  return { code, message, retryable, details, ...(hint !== undefined && { hint }), ...(rpc !== undefined && { rpc }) };
}

/** The failure that `data` tells of. What another version may have sent is read with care. */
export function controlErrorFrom(data: unknown): ControlError {
  const { code, message, hint, retryable, details, rpc } = (data ?? {}) as Partial<Record<string, unknown>>;
  return new ControlError(
    typeof code === 'string' ? (code as ControlErrorCode) : 'internal',
    typeof message === 'string' ? message : 'The daemon reported a failure without saying which',
    {
      hint: typeof hint === 'string' ? hint : undefined,
      retryable: retryable === true,
      details: Array.isArray(details) ? details.filter((line) => typeof line === 'string') : [],
      rpc: isRpcError(rpc) ? rpc : undefined,
    },
  );
}

function isRpcError(value: unknown): value is RpcError {
  return isRecord(value) && Number.isSafeInteger(value.code) && typeof value.message === 'string';
}

/** What a command exits with over this failure. */
function exitCodeFor(code: ControlErrorCode): ExitCode {
  return codes[code] ?? exitCodes.failed;
}

const codes: Partial<Record<ControlErrorCode, ExitCode>> = {
  'invalid-config': exitCodes.config,
  'config-not-found': exitCodes.config,
  unreadable: exitCodes.config,
  'secret-unavailable': exitCodes.config,
  'unknown-server': exitCodes.notFound,
  'unknown-tool': exitCodes.notFound,
  refused: exitCodes.notFound,
  'launch-refused': exitCodes.config,
  'start-failed': exitCodes.startFailed,
  'not-started': exitCodes.startFailed,
  'timed-out': exitCodes.timedOut,
  'invalid-arguments': exitCodes.usage,
  'invalid-pattern': exitCodes.usage,
  'invalid-query': exitCodes.usage,
  'invalid-cursor': exitCodes.usage,
  'invalid-request': exitCodes.usage,
};
