import { MissingRequiredClientCapabilityError, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import { rpcErrorOf } from '../rpc-error.js';
import type { UpstreamResult } from '../upstream.js';
import type { Retry } from './retry.js';
import { takesUrls } from './server-request.js';

/** A page that the user must visit first, in an error of revision 2025-11-25. */
export interface RequiredPage {
  readonly elicitationId?: unknown;
  readonly [key: string]: unknown;
}

export function requiredPages(error: unknown): readonly RequiredPage[] {
  const rpc = rpcErrorOf(error);
  if (rpc?.code !== ProtocolErrorCode.UrlElicitationRequired || !isRecord(rpc.data)) return [];
  const { elicitations } = rpc.data;
  return Array.isArray(elicitations) ? elicitations.filter((page): page is RequiredPage => isRecord(page)) : [];
}

/**
 * For clients of revision 2026-07-28, which get pages in a result and repeat the request. There is no state to
 * continue: the request has not started.
 *
 * @throws {ProtocolError} if the client does not support pages, or has returned without a visit.
 */
export function askForPages(
  pages: readonly RequiredPage[],
  capabilities: Readonly<Record<string, unknown>>,
  { inputResponses = {} }: Retry,
): UpstreamResult {
  if (!takesUrls(capabilities)) {
    const message = 'The server behind this needs the user to visit a page first';
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { elicitation: { url: {} } } }, message);
  }
  const answers = Object.values(inputResponses);
  if (answers.some((answer) => isRecord(answer) && (answer.action === 'decline' || answer.action === 'cancel'))) {
    const message = 'The server behind this needs the user to visit a page first, and the user did not';
    throw new ProtocolError(ProtocolErrorCode.InternalError, message);
  }
  const requests = pages.map((page, index) => [
    `page-${index + 1}`,
    { method: 'elicitation/create', params: { ...page, mode: 'url' } },
  ]);
  return { resultType: 'input_required', inputRequests: Object.fromEntries(requests) };
}
