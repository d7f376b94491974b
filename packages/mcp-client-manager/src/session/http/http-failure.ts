import { SdkError, SdkErrorCode, SdkHttpError, SseError } from '@modelcontextprotocol/client';
import { ChannelClosedError } from '../../transport/message-channel.js';
import { SessionLostError } from '../session.js';

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

/** A gateway also sends it when it loses a server that already has the request. */
export function isUnavailable(status: number | undefined): boolean {
  return status === 503;
}

/** A gateway may have forwarded the request, and got no usable response. */
export function isBrokenGateway(status: number | undefined): boolean {
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
    return `it answered HTTP ${error.status}${isRedirect ? where : ''}`;
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

function networkCode({ cause }: TypeError): string | undefined {
  const { code, errors } = (cause ?? {}) as { code?: unknown; errors?: unknown };
  if (typeof code === 'string') return code;
  // Happy Eyeballs: one error for each address.
  const [first] = Array.isArray(errors) ? (errors as readonly { code?: unknown }[]) : [];
  return typeof first?.code === 'string' ? first.code : undefined;
}
