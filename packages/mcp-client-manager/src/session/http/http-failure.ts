import { SdkError, SdkErrorCode, SdkHttpError, SseError } from '@modelcontextprotocol/client';
import type { RpcError } from '@x/internal/contracts';
import { ManagerError } from '../../errors.js';
import { ChannelClosedError } from '../../transport/message-channel.js';
import {
  type ExplainFailure,
  type FailedRequest,
  lostBeforeSending,
  markUnavailable,
  refusedRequest,
  requestError,
} from '../peer/request-error.js';
import { SessionLostError } from '../session.js';
import { HttpFailure } from './http-refusal.js';

/** The server refused the request with HTTP 404, and a ping in the same session, too. */
export class SessionForgottenError extends ChannelClosedError {}

/** Errors before the connection was open: no request was sent. */
const beforeConnection: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** HTTP 429: the server did not process the request. */
export function isRateLimited(status: number | undefined): boolean {
  return status === 429;
}

/** HTTP 503. A gateway also sends it when it loses a server that already has the request. */
export function isUnavailable(status: number | undefined): boolean {
  return status === 503;
}

/** HTTP 502 and 504: a gateway may have forwarded the request, and got no usable response. */
function isBrokenGateway(status: number | undefined): boolean {
  return status === 502 || status === 504;
}

/** `fetch` reports failures below HTTP as a `TypeError` with a cause. */
export function isNetworkFailure(error: unknown): error is TypeError {
  return error instanceof TypeError && error.cause instanceof Error;
}

export function failedBeforeSending(error: TypeError): boolean {
  return beforeConnection.has(networkCode(error) ?? '');
}

/** One clause without URL, headers and body, which may contain secrets. */
export function describeHttpFailure(error: unknown): string {
  if (error instanceof SdkHttpError && error.status === 508) {
    return 'it reports a loop: the request reached the same gateway twice (HTTP 508)';
  }
  if (error instanceof SdkHttpError && error.status !== undefined) {
    const isRedirect = error.status >= 300 && error.status < 400;
    const where = ', and redirects to another origin are not followed. Set the URL to the target of the redirect';
    const { rpc } = factsOf(error);
    const words = rpc ? ` with an error: ${rpc.message} (${rpc.code})` : '';
    return `it answered HTTP ${error.status}${isRedirect ? where : words}`;
  }
  if (error instanceof SseError)
    return error.code === undefined ? 'its stream ended' : `it answered HTTP ${error.code}`;
  if (isNetworkFailure(error)) return `the request failed (${networkCode(error) ?? 'fetch failed'})`;
  if (error instanceof SessionLostError) return 'its stream ended before the response';
  return 'its response does not follow the protocol';
}

/** `true` if no MCP server responded, `false` if one refused. */
export function isUnreachable(error: unknown): boolean {
  if (isNetworkFailure(error) || error instanceof SdkHttpError || error instanceof SseError) return true;
  return error instanceof SdkError && error.code === SdkErrorCode.ClientHttpUnexpectedContent;
}

export function httpFailure(failure: unknown): HttpFailure {
  const status =
    failure instanceof SdkHttpError ? failure.status : failure instanceof SseError ? failure.code : undefined;
  return new HttpFailure(describeHttpFailure(failure), status);
}

function networkCode({ cause }: TypeError): string | undefined {
  const { code, errors } = (cause ?? {}) as { code?: unknown; errors?: unknown };
  if (typeof code === 'string') return code;
  // Happy Eyeballs: one error for each address.
  const [first] = Array.isArray(errors) ? (errors as readonly { code?: unknown }[]) : [];
  return typeof first?.code === 'string' ? first.code : undefined;
}

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
  const { rpc } = factsOf(error);
  if (rpc) return refusedRequest(rpc, request);
  const { server, what } = request;
  const message = `Server "${server}" failed ${what}: ${describeHttpFailure(error)}.`;
  return new ManagerError('server-error', message, { server, cause: error });
};

function lostOnTheWay(cause: unknown, { what }: FailedRequest, { sent }: { sent: boolean }): SessionLostError {
  return new SessionLostError(`For ${what}, ${describeHttpFailure(cause)}`, { sent, cause });
}

function rateLimited(error: SdkHttpError, { server, what }: FailedRequest): ManagerError {
  const { retryAfterMs, rpc } = factsOf(error);
  const message = `Server "${server}" refused ${what}: ${describeHttpFailure(error)}. Retry ${inTime(retryAfterMs)}.`;
  return new ManagerError('busy', message, { server, rpc, retryAfterMs, cause: error });
}

function unavailable(error: SdkHttpError, { server, what }: FailedRequest): ManagerError {
  const message = `Server "${server}" failed ${what}: ${describeHttpFailure(error)}. It may have taken effect, so it was not repeated.`;
  const options = { server, ...factsOf(error), cause: error };
  const noTime = `Server "${server}" is too busy for ${what}: ${describeHttpFailure(error)}. Retry ${inTime(options.retryAfterMs)}.`;
  return markUnavailable(
    new ManagerError('outcome-unknown', message, options),
    new ManagerError('busy', noTime, options),
  );
}

/** Facts of a response with an HTTP error status. */
export interface RefusalFacts {
  readonly retryAfterMs?: number | undefined;
  readonly rpc?: RpcError | undefined;
}

function factsOf({ data }: SdkHttpError): RefusalFacts {
  const { retryAfterMs, rpc } = data as RefusalFacts;
  return { retryAfterMs, rpc };
}

function inTime(retryAfterMs: number | undefined): string {
  return retryAfterMs === undefined ? 'later' : `in ${Math.ceil(retryAfterMs / 1_000)} s`;
}
