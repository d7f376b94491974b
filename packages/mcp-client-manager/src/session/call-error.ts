import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import type { RpcError } from '@x/internal/contracts';
import { isManagerError, ManagerError } from '../errors.js';
import { ChannelClosedError } from '../transport/message-channel.js';
import { resultTooLargeCode } from '../transport/oversized-message.js';
import {
  describeHttpFailure,
  failedBeforeSending,
  isBrokenGateway,
  isNetworkFailure,
  isRateLimited,
  isUnavailable,
  lostAnswerCode,
  SessionForgottenError,
} from './http-failure.js';
import { SessionLostError } from './session.js';
import { isUnavailableError, markUnavailable } from './unavailable.js';

/** Whatever a request failed with, as one of our own errors; `what` is what people call it. */
export function requestError(error: unknown, { server, what }: { server: string; what: string }): Error {
  if (isManagerError(error) || error instanceof SessionLostError) return error;
  if (error instanceof ProtocolError && error.code === lostAnswerCode) return lostInFlight(error);
  if (error instanceof ProtocolError) return refusedRequest(error, { server, what, cause: error });
  if (error instanceof SessionForgottenError) return refusedByServer(error);
  if (error instanceof ChannelClosedError || isNotConnected(error)) return lostBeforeSending(error);
  if (isSdkError(error, SdkErrorCode.ConnectionClosed)) return lostInFlight(error);
  if (isNetworkFailure(error)) {
    const sent = !failedBeforeSending(error);
    return new SessionLostError(`For ${what}, ${describeHttpFailure(error)}`, { sent, cause: error });
  }
  if (error instanceof TypeError || error instanceof RangeError) return unwritable(error);
  if (error instanceof SdkHttpError && isRateLimited(error.status)) return rateLimited(error, { server, what });
  if (error instanceof SdkHttpError && isUnavailable(error.status)) return unavailable(error, { server, what });
  if (error instanceof SdkHttpError && isBrokenGateway(error.status)) {
    return new SessionLostError(`For ${what}, ${describeHttpFailure(error)}`, { sent: true, cause: error });
  }
  const why =
    error instanceof SdkHttpError ? describeHttpFailure(error) : 'it answered with something that is no valid result';
  const message = `Server "${server}" failed ${what}: ${why}.`;
  return new ManagerError('server-error', message, { server, cause: error });
}

/** Arguments that cannot be written as JSON: a mistake in the call. */
export function unwritable(error: Error): Error {
  if (!(error instanceof RangeError)) return error;
  return new TypeError('The arguments are nested too deep to be written as JSON', { cause: error });
}

interface FailedRequest {
  readonly server: string;
  readonly what: string;
}

function rateLimited(error: SdkHttpError, { server, what }: FailedRequest): ManagerError {
  const retryAfterMs = retryAfterOf(error);
  const message = `Server "${server}" did not take ${what}: ${describeHttpFailure(error)}. Call again ${inTime(retryAfterMs)}.`;
  return new ManagerError('busy', message, { server, retryAfterMs, cause: error });
}

function unavailable(error: SdkHttpError, { server, what }: FailedRequest): ManagerError {
  const message = `Server "${server}" failed ${what}: ${describeHttpFailure(error)}. It may or may not have had its effect, so it was not repeated.`;
  const options = { server, retryAfterMs: retryAfterOf(error), cause: error };
  const noTime = `Server "${server}" had no time for ${what}: ${describeHttpFailure(error)}. Call again ${inTime(options.retryAfterMs)}.`;
  return markUnavailable(
    new ManagerError('outcome-unknown', message, options),
    new ManagerError('busy', noTime, options),
  );
}

function retryAfterOf({ data }: SdkHttpError): number | undefined {
  return (data as { retryAfterMs?: number }).retryAfterMs;
}

function inTime(retryAfterMs: number | undefined): string {
  return retryAfterMs === undefined ? 'later' : `in ${Math.ceil(retryAfterMs / 1_000)} s`;
}

function refusedByServer(cause: SessionForgottenError): SessionLostError {
  return new SessionLostError(cause.message, { sent: false, refused: true, cause });
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

/** The server's own error answer to a call. */
export function refusedCall(
  error: RpcError,
  { server, tool, cause }: { server: string; tool: string; cause?: unknown },
): ManagerError {
  return refusedRequest(error, { server, what: `the call of "${tool}"`, cause });
}

function refusedRequest(
  { code, message, data }: RpcError,
  { server, what, cause }: { server: string; what: string; cause?: unknown },
): ManagerError {
  const rpc = { code, message, data };
  const kind = code === resultTooLargeCode ? 'result-too-large' : 'server-error';
  const text = `Server "${server}" answered ${what} with an error: ${message} (${code})`;
  return new ManagerError(kind, text, { server, rpc, cause });
}

/** The SDK's answer to a request on a closed client, before anything is sent. It has a code in some places only. */
function isNotConnected(error: unknown): boolean {
  return isSdkError(error, SdkErrorCode.NotConnected) || (error instanceof Error && error.message === 'Not connected');
}

function isSdkError(error: unknown, code: SdkErrorCode): boolean {
  return error instanceof SdkError && error.code === code;
}
