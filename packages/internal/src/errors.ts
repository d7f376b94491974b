import { isRecord } from './json.js';

/**
 * True if an error has the brand of a package: a global symbol that its error class sets. `instanceof` fails between
 * installed copies of a package.
 */
export function isBranded(value: unknown, brand: symbol): value is Error {
  return value instanceof Error && brand in value;
}

export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  try {
    return String(thrown);
  } catch {
    return 'something that cannot be read'; // an object without a prototype, or with a toString that throws
  }
}

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
