import { isRecord } from './json.js';

/** Code of a JSON-RPC error of revision 2025-11-25: the user must visit pages before the request is made again. */
const urlElicitationRequired = -32_042;

/** A page that a user must visit before a request. */
export interface RequiredPage {
  readonly elicitationId?: unknown;
  readonly [key: string]: unknown;
}

/** The pages that a JSON-RPC error names. Empty for any other value. */
export function requiredPages(rpc: unknown): readonly RequiredPage[] {
  if (!isRecord(rpc) || rpc.code !== urlElicitationRequired || !isRecord(rpc.data)) return [];
  const { elicitations } = rpc.data;
  return Array.isArray(elicitations) ? elicitations.filter((page): page is RequiredPage => isRecord(page)) : [];
}
