import { SdkError, SdkErrorCode, SdkHttpError, SseError } from '@modelcontextprotocol/client';
import { ChannelClosedError } from '../transport/message-channel.js';
import { SessionLostError } from './session.js';

/** The server refused the request with HTTP 404, and a ping in the same session too. */
export class SessionForgottenError extends ChannelClosedError {}

/** What the network says when not even a connection came about, so that nothing can have been sent. */
const beforeConnection: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The server, or a gateway before it, counts requests and refused one too many. It did nothing with it. */
export function isRateLimited(status: number | undefined): boolean {
  return status === 429;
}

/** The server is unavailable. A gateway says so too when it loses a server that has the request already. */
export function isUnavailable(status: number | undefined): boolean {
  return status === 503;
}

/** What stands before the server may have passed the request on, and got no answer that it could pass back. */
export function isBrokenGateway(status: number | undefined): boolean {
  return status === 502 || status === 504;
}

/** Whether a request failed below HTTP; `fetch` tells that by a `TypeError` whose cause says more. */
export function isNetworkFailure(error: unknown): error is TypeError {
  return error instanceof TypeError && error.cause instanceof Error;
}

export function failedBeforeSending(error: TypeError): boolean {
  return beforeConnection.has(networkCode(error) ?? '');
}

/** One clause for people, without URL, header or body: those may hold secrets. */
export function describeHttpFailure(error: unknown): string {
  if (error instanceof SdkHttpError && error.status === 508) {
    return 'it answers that the request came round to a gateway it has passed (HTTP 508)';
  }
  if (error instanceof SdkHttpError && error.status !== undefined) {
    const isRedirect = error.status >= 300 && error.status < 400;
    const where = ', and a redirect that leads elsewhere is not followed: give the address it leads to as the URL';
    return `it answered HTTP ${error.status}${isRedirect ? where : ''}`;
  }
  if (error instanceof SseError)
    return error.code === undefined ? 'its stream ended' : `it answered HTTP ${error.code}`;
  if (isNetworkFailure(error)) return `the request failed (${networkCode(error) ?? 'fetch failed'})`;
  if (error instanceof SessionLostError) return 'its stream ended before the answer had come';
  return 'it did not answer as a server of the protocol does';
}

/** Whether there is nobody at the other end who speaks the protocol, rather than one who refused. */
export function isUnreachable(error: unknown): boolean {
  if (isNetworkFailure(error) || error instanceof SdkHttpError || error instanceof SseError) return true;
  return error instanceof SdkError && error.code === SdkErrorCode.ClientHttpUnexpectedContent;
}

function networkCode({ cause }: TypeError): string | undefined {
  const { code, errors } = (cause ?? {}) as { code?: unknown; errors?: unknown };
  if (typeof code === 'string') return code;
  // Both addresses of a name were tried and failed, each for its own reason.
  const [first] = Array.isArray(errors) ? (errors as readonly { code?: unknown }[]) : [];
  return typeof first?.code === 'string' ? first.code : undefined;
}
