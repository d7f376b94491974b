import type { RpcError } from '@x/internal/contracts';
import { isManagerError, ManagerError } from '../errors.js';
import { ChannelClosedError } from '../transport/message-channel.js';
import { resultTooLargeCode } from '../transport/oversized-message.js';
import { JsonRpcError } from './json-rpc.js';
import { SessionLostError } from './session.js';
import { isUnavailableError } from './unavailable.js';

/** The request that a failure is about; `what` is how people call it. */
export interface FailedRequest {
  readonly server: string;
  readonly what: string;
}

/** Turns what a transport failed with into one of our own errors. */
export type ExplainFailure = (error: unknown, request: FailedRequest) => Error;

/** What a request failed with, as one of our own errors. */
export const requestError: ExplainFailure = (error, request) => {
  if (isManagerError(error) || error instanceof SessionLostError) return error;
  if (error instanceof JsonRpcError) return refusedRequest(error, request);
  if (error instanceof ChannelClosedError) return lostBeforeSending(error);
  if (error instanceof TypeError) return error; // a mistake in the call
  return invalidAnswer(request, error);
};

/** The server's own error answer. */
export function refusedRequest({ code, message, data }: RpcError, { server, what }: FailedRequest): ManagerError {
  const rpc = { code, message, data };
  const kind = code === resultTooLargeCode ? 'result-too-large' : 'server-error';
  const text = `Server "${server}" answered ${what} with an error: ${message} (${code})`;
  return new ManagerError(kind, text, { server, rpc });
}

function invalidAnswer({ server, what }: FailedRequest, cause: unknown): ManagerError {
  const message = `Server "${server}" failed ${what}: it answered with something that is no valid result.`;
  return new ManagerError('server-error', message, { server, cause });
}

/** Whether the connection failed under a request, or nobody at its end had time, rather than the server refused it. */
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
 * The same failure of something that takes several requests and has had an answer already: that the last one was not sent
 * says nothing of what the server has done by then.
 */
export function lostHalfway(error: Error): Error {
  return error instanceof SessionLostError && !error.sent ? lostInFlight(error) : error;
}
