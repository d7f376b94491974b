import { MissingRequiredClientCapabilityError, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import { rpcErrorOf } from '../rpc-error.js';
import type { UpstreamResult } from '../upstream.js';
import { takesUrls } from './host-question.js';
import type { Retry } from './retry.js';

/** A page that the user has to be sent to before a request can be made, as servers of 2025-11-25 say in an error. */
export interface RequiredPage {
  readonly elicitationId?: unknown;
  readonly [key: string]: unknown;
}

/** The pages that an error asks for; none if it is another error. */
export function requiredPages(error: unknown): readonly RequiredPage[] {
  const rpc = rpcErrorOf(error);
  if (rpc?.code !== ProtocolErrorCode.UrlElicitationRequired || !isRecord(rpc.data)) return [];
  const { elicitations } = rpc.data;
  return Array.isArray(elicitations) ? elicitations.filter((page): page is RequiredPage => isRecord(page)) : [];
}

/**
 * The same for a client of the 2026-07-28 revision, which is told of pages in a result and makes the request again. There
 * is nothing to go on with: the request has not been begun.
 *
 * @throws {ProtocolError} if the client cannot be sent to pages, or has come back without having been there.
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
