import { isBranded } from '@x/internal/errors';
import { isRecord } from '@x/internal/json';
import type { ManagerErrorCode, RpcError } from '@x/mcp-client-manager';
import type { ConfigErrorCode } from '@x/mcp-config-schema';
import type { FleetErrorCode } from '@x/mcp-fleet';
import type { RegistryErrorCode } from '@x/mcp-registry';
import { CommandError, type CommandErrorOptions, type ExitCode, exitCodes } from '../command.js';

/** Failures of requests to servers, in this process or in the daemon. */
export type ControlErrorCode =
  | ManagerErrorCode
  | RegistryErrorCode
  | ConfigErrorCode
  | FleetErrorCode
  /** The daemon belongs to another fleet. */
  | 'in-another-fleet'
  /** The fleet runs the server once, on another node. */
  | 'runs-elsewhere'
  /** An invalid value in the request: an unknown role, a limit out of bounds. */
  | 'invalid-request'
  /** An unexpected failure. */
  | 'internal'
  | DaemonErrorCode;

export type DaemonErrorCode =
  /** The daemon ended before its response. The request may have taken effect; repeating it is safe. */
  | 'daemon-lost'
  /** A daemon runs but does not respond. */
  | 'daemon-unreachable'
  /** The worker crashed too often and is not restarted. */
  | 'daemon-parked'
  | 'daemon-start-failed'
  | 'daemon-not-running'
  /** The process at the daemon's address cannot prove that it is the user's daemon. */
  | 'daemon-untrusted'
  /** Daemon and command use different protocol versions. */
  | 'version-skew'
  /** A private directory, or the state file in it, belongs to another user or is accessible to others. */
  | 'unsafe-directory'
  /** A request or response exceeds the size limit of the connection. */
  | 'message-too-large';

export interface ControlErrorOptions extends CommandErrorOptions {
  readonly retryable?: boolean | undefined;
  /** Error of the server, for clients. */
  readonly rpc?: RpcError | undefined;
}

/** A `ControlError` as plain data, for the daemon's socket. */
export interface ControlErrorData {
  readonly code: ControlErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly retryable: boolean;
  readonly details: readonly string[];
  readonly rpc?: RpcError | undefined;
}

const brand = Symbol.for('@x/mcp-cli.control-error');

/** A failure of a request to servers, with known secrets redacted. */
export class ControlError extends CommandError {
  override readonly name = 'ControlError';
  readonly [brand] = true;
  readonly code: ControlErrorCode;
  /** True if repeating the request may succeed and cannot take effect twice. */
  readonly retryable: boolean;
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

/** Parses the failure in a response. Tolerates fields of other versions. */
export function controlErrorFrom(data: unknown): ControlError {
  const { code, message, hint, retryable, details, rpc } = (data ?? {}) as Partial<Record<string, unknown>>;
  return new ControlError(
    typeof code === 'string' ? (code as ControlErrorCode) : 'internal',
    typeof message === 'string' ? message : 'The daemon reported an unknown failure',
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
  'not-set-up': exitCodes.startFailed,
  'not-started': exitCodes.startFailed,
  'timed-out': exitCodes.timedOut,
  'invalid-arguments': exitCodes.usage,
  'invalid-pattern': exitCodes.usage,
  'invalid-query': exitCodes.usage,
  'invalid-cursor': exitCodes.usage,
  'invalid-request': exitCodes.usage,
};

/** How to give consent to the launch of a server. */
export const trustHint =
  'Run "mcpx trust" to see what it runs and to give consent, or "mcpx trust --yes" without a terminal. In CI set MCPX_TRUST=1.';
