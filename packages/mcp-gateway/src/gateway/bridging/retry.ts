import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ClientRequest } from '../../server/methods/client-request.js';
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
  const message = `The server behind this gave a requestState of more than ${MAX_STATE_LENGTH} characters`;
  throw new ProtocolError(ProtocolErrorCode.InternalError, message);
}

const NOTHING: Retry = Object.freeze({});

function requireLength(what: string, length: number, most: number): void {
  if (length <= most) return;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `${what} is longer than the ${most} characters that are taken`,
  );
}
