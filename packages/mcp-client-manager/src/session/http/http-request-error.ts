import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { ManagerError } from '../../errors.js';
import {
  type ExplainFailure,
  type FailedRequest,
  lostBeforeSending,
  markUnavailable,
  requestError,
} from '../peer/request-error.js';
import { SessionLostError } from '../session.js';
import {
  describeHttpFailure,
  failedBeforeSending,
  isBrokenGateway,
  isNetworkFailure,
  isRateLimited,
  isUnavailable,
  SessionForgottenError,
} from './http-failure.js';

export const httpRequestError: ExplainFailure = (error, request) => {
  if (error instanceof SdkError && error.code === SdkErrorCode.NotConnected) return lostBeforeSending(error);
  if (error instanceof SessionForgottenError)
    return new SessionLostError(error.message, { sent: false, refused: true, cause: error });
  if (isNetworkFailure(error)) return lostOnTheWay(error, request, { sent: !failedBeforeSending(error) });
  if (error instanceof RangeError)
    return new TypeError('The arguments are nested too deep to be written as JSON', { cause: error });
  if (!(error instanceof SdkHttpError)) return requestError(error, request);
  if (isRateLimited(error.status)) return rateLimited(error, request);
  if (isUnavailable(error.status)) return unavailable(error, request);
  if (isBrokenGateway(error.status)) return lostOnTheWay(error, request, { sent: true });
  const { server, what } = request;
  const message = `Server "${server}" failed ${what}: ${describeHttpFailure(error)}.`;
  return new ManagerError('server-error', message, { server, cause: error });
};

function lostOnTheWay(cause: unknown, { what }: FailedRequest, { sent }: { sent: boolean }): SessionLostError {
  return new SessionLostError(`For ${what}, ${describeHttpFailure(cause)}`, { sent, cause });
}

function rateLimited(error: SdkHttpError, { server, what }: FailedRequest): ManagerError {
  const retryAfterMs = retryAfterOf(error);
  const message = `Server "${server}" refused ${what}: ${describeHttpFailure(error)}. Retry ${inTime(retryAfterMs)}.`;
  return new ManagerError('busy', message, { server, retryAfterMs, cause: error });
}

function unavailable(error: SdkHttpError, { server, what }: FailedRequest): ManagerError {
  const message = `Server "${server}" failed ${what}: ${describeHttpFailure(error)}. It may have taken effect, so it was not repeated.`;
  const options = { server, retryAfterMs: retryAfterOf(error), cause: error };
  const noTime = `Server "${server}" is too busy for ${what}: ${describeHttpFailure(error)}. Retry ${inTime(options.retryAfterMs)}.`;
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
