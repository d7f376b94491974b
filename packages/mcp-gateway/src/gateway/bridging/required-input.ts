import { MissingRequiredClientCapabilityError, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import type { RequiredPage } from '@x/internal/required-pages';
import type { ClientRequest } from '../../server/methods/client-request.js';
import { supportsUrls } from '../../serving/asked-client.js';
import type { UpstreamResult } from '../upstream.js';

const MAX_STATE_LENGTH = 256 * 1024;
const MAX_RESPONSES_LENGTH = 4 * 1024 * 1024;

export interface Retry {
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
}

/** @throws {ProtocolError} -32602 if the input exceeds the gateway's limit. */
export function readRetry({ inputResponses, requestState }: ClientRequest): Retry {
  if (inputResponses === undefined && requestState === undefined) return NOTHING;
  if (typeof requestState === 'string') requireLength('requestState', requestState.length, MAX_STATE_LENGTH);
  if (inputResponses !== undefined) {
    requireLength('inputResponses', JSON.stringify(inputResponses).length, MAX_RESPONSES_LENGTH);
  }
  return {
    ...(inputResponses !== undefined && { inputResponses }),
    ...(typeof requestState === 'string' && { requestState }),
  };
}

/** @throws {ProtocolError} -32603 if the client could not return a state of that size. */
export function requireReturnable({ requestState }: UpstreamResult): void {
  if (typeof requestState !== 'string' || requestState.length <= MAX_STATE_LENGTH) return;
  const message = `The server returned a requestState of more than ${MAX_STATE_LENGTH} characters, which the client could not send back`;
  throw new ProtocolError(ProtocolErrorCode.InternalError, message);
}

const NOTHING: Retry = Object.freeze({});

function requireLength(what: string, length: number, most: number): void {
  if (length <= most) return;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `${what} has more than ${most} characters, which is the limit`,
  );
}

/**
 * For clients of revision 2026-07-28, which get pages in a result and repeat the request. There is no state to
 * continue: the request has not started.
 *
 * @throws {ProtocolError} if the client does not support pages, or has returned without a visit.
 */
export function requestPages(
  pages: readonly RequiredPage[],
  capabilities: Readonly<Record<string, unknown>>,
  { inputResponses = {} }: Retry,
): UpstreamResult {
  if (!supportsUrls(capabilities)) {
    const message = 'The server requires the user to visit a page first';
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { elicitation: { url: {} } } }, message);
  }
  const answers = Object.values(inputResponses);
  if (answers.some((answer) => isRecord(answer) && (answer.action === 'decline' || answer.action === 'cancel'))) {
    const message = 'The server requires the user to visit a page first, and the user declined';
    throw new ProtocolError(ProtocolErrorCode.InternalError, message);
  }
  const requests = pages.map((page, index) => [
    `page-${index + 1}`,
    { method: 'elicitation/create', params: { ...page, mode: 'url' } },
  ]);
  return { resultType: 'input_required', inputRequests: Object.fromEntries(requests) };
}
