import { ProtocolError } from '@modelcontextprotocol/server';

/** Of the revisions before 2026-07-28. */
export const RESOURCE_NOT_FOUND = -32_002;

/** One that may not be used is answered as one that there is not. Revision 2026-07-28 has another code for it. */
export function resourceNotFound(uri: string): ProtocolError {
  return new ProtocolError(RESOURCE_NOT_FOUND, 'Resource not found', { uri });
}
