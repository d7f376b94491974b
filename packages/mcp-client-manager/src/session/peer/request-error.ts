import type { RpcError } from '@x/internal/contracts';
import { isManagerError, ManagerError } from '../../errors.js';
import { ChannelClosedError } from '../../transport/message-channel.js';
import { resultTooLargeCode } from '../../transport/oversized-message.js';
import { SessionLostError } from '../session.js';
import { JsonRpcError } from './json-rpc.js';

/** A failed request. `what` is its name in messages, such as `the call of "x"`. */
export interface FailedRequest {
  readonly server: string;
  readonly what: string;
}

/** Maps a transport failure to a `ManagerError`, `SessionLostError` or `TypeError`. */
export type ExplainFailure = (error: unknown, request: FailedRequest) => Error;

/** The mapping for transports without failures of their own. */
export const requestError: ExplainFailure = (error, request) => {
  if (isManagerError(error) || error instanceof SessionLostError) return error;
  if (error instanceof JsonRpcError) return refusedRequest(error, request);
  if (error instanceof ChannelClosedError) return lostBeforeSending(error);
  if (error instanceof TypeError) return error; // invalid params
  return invalidAnswer(request, error);
};

/** Maps a JSON-RPC error of the server. */
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

/** `true` if the connection failed or the server was busy, `false` if the server refused the request. */
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

/**
 * Marks a lost operation of several requests as sent, since the server has worked on an earlier one, even if the last
 * request was not sent.
 */
export function lostHalfway(error: Error): Error {
  return error instanceof SessionLostError && !error.sent ? lostInFlight(error) : error;
}

/** The `busy` error for each error caused by HTTP 503, for requests that are safe to repeat. */
const busyErrors = new WeakMap<object, ManagerError>();

/** Marks `error` for `isUnavailableError`, and returns it. */
export function markUnavailable(error: ManagerError, busy: ManagerError): ManagerError {
  busyErrors.set(error, busy);
  return error;
}

/** `true` for HTTP 503, which leaves open whether the server ran the request. */
export function isUnavailableError(error: unknown): error is ManagerError {
  return typeof error === 'object' && error !== null && busyErrors.has(error);
}

/** The `busy` error for a request that is safe to repeat. */
export function busyInstead(error: ManagerError): ManagerError {
  return busyErrors.get(error) ?? error;
}
