import type { RpcError } from '@x/internal/contracts';
import { isManagerError, ManagerError } from '../../errors.js';
import { ChannelClosedError } from '../../transport/message-channel.js';
import { resultTooLargeCode } from '../../transport/oversized-message.js';
import { SessionLostError } from '../session.js';
import { JsonRpcError } from './json-rpc.js';

/** `what` names it in messages, such as `the call of "x"`. */
export interface FailedRequest {
  readonly server: string;
  readonly what: string;
}

/** Maps a transport failure to a `ManagerError`, `SessionLostError` or `TypeError`. */
export type ExplainFailure = (error: unknown, request: FailedRequest) => Error;

export const requestError: ExplainFailure = (error, request) => {
  if (isManagerError(error) || error instanceof SessionLostError) return error;
  if (error instanceof JsonRpcError) return refusedRequest(error, request);
  if (error instanceof ChannelClosedError) return lostBeforeSending(error);
  if (error instanceof TypeError) return error;
  return invalidAnswer(request, error);
};

export function refusedRequest({ code, message, data }: RpcError, { server, what }: FailedRequest): ManagerError {
  const rpc = { code, message, data };
  const kind = code === resultTooLargeCode ? 'result-too-large' : 'server-error';
  const text = `Server "${server}" answered ${what} with an error: ${message} (${code})`;
  return new ManagerError(kind, text, { server, rpc });
}

function invalidAnswer({ server, what }: FailedRequest, cause: unknown): ManagerError {
  const message = `Server "${server}" failed ${what}: its result is invalid.`;
  return new ManagerError('server-error', message, { server, cause });
}

/** True if the connection failed or the server was busy: the server did not refuse the request. */
export function isLoss(error: unknown): boolean {
  return (
    error instanceof SessionLostError || isUnavailableError(error) || (isManagerError(error) && error.code === 'busy')
  );
}

export function lostBeforeSending(cause?: unknown): SessionLostError {
  return new SessionLostError('The connection was closed before the request was sent', { sent: false, cause });
}

export function lostInFlight(cause?: unknown): SessionLostError {
  return new SessionLostError('The connection was closed after the request was sent', { sent: true, cause });
}

/** Marks a lost operation of several requests as sent: the server has worked on an earlier request. */
export function lostHalfway(error: Error): Error {
  return error instanceof SessionLostError && !error.sent ? lostInFlight(error) : error;
}

/** For requests that are safe to repeat, by the error that HTTP 503 caused. */
const busyErrors = new WeakMap<object, ManagerError>();

export function markUnavailable(error: ManagerError, busy: ManagerError): ManagerError {
  busyErrors.set(error, busy);
  return error;
}

/** True for HTTP 503, which leaves open whether the server ran the request. */
export function isUnavailableError(error: unknown): error is ManagerError {
  return typeof error === 'object' && error !== null && busyErrors.has(error);
}

export function busyInstead(error: ManagerError): ManagerError {
  return busyErrors.get(error) ?? error;
}

export function withStderrTail(error: unknown, stderrTail: () => readonly string[]): unknown {
  if (!(error instanceof ManagerError) || error.stderrTail.length > 0) return error;
  const lines = stderrTail();
  if (lines.length === 0) return error;
  const { code, message, stack, server, rpc, retryAfterMs, retryable, cause } = error;
  const copy = new ManagerError(code, message, { server, rpc, retryAfterMs, retryable, cause, stderrTail: lines });
  if (stack !== undefined) copy.stack = stack;
  return copy;
}
