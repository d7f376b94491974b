import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
} from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';

type Fields = Readonly<Record<string, unknown>>;

/** A `tools/call` with nothing in it that would need a second look. */
export interface PlainCall {
  readonly id: RequestId;
  readonly message: JSONRPCRequest;
  readonly params: { readonly name: string; readonly arguments?: Fields | undefined };
  /** What `_meta` says beside what belongs to the protocol. */
  readonly meta: (Fields & { readonly progressToken?: string | number }) | undefined;
  /** Of the 2026-07-28 revision: what `_meta` says for the protocol. */
  readonly envelope: Fields | undefined;
}

const MESSAGE_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const PARAMS_KEYS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta']);
const ENVELOPE_KEYS: ReadonlySet<string> = new Set([
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
]);
/** Of the keys in `_meta` that belong to the protocol. */
export const PROTOCOL_PREFIX = 'io.modelcontextprotocol/';

/**
 * Reads a call of a tool if it is plain: no field that is not known here, nothing of tasks or of an earlier round. All
 * else is `undefined`, and for the protocol library to read or to refuse.
 */
export function plainCallOf(body: unknown, era: 'legacy' | 'modern'): PlainCall | undefined {
  if (!isRecord(body) || body.method !== 'tools/call' || body.jsonrpc !== '2.0') return undefined;
  const { id, params } = body;
  if (!isRequestId(id) || !hasOnly(body, MESSAGE_KEYS) || !isRecord(params) || !hasOnly(params, PARAMS_KEYS)) return;
  const { name, arguments: args, _meta: given } = params;
  if (typeof name !== 'string' || !(args === undefined || isRecord(args))) return undefined;
  if (given !== undefined && !isRecord(given)) return undefined;
  const split = splitMeta(given ?? {}, era);
  if (split === undefined) return undefined;
  return { id, message: body as unknown as JSONRPCRequest, params: { name, arguments: args }, ...split };
}

function splitMeta(given: Fields, era: 'legacy' | 'modern'): Pick<PlainCall, 'meta' | 'envelope'> | undefined {
  const meta: Record<string, unknown> = {};
  const envelope: Record<string, unknown> = {};
  let isEmpty = true;
  for (const [key, value] of Object.entries(given)) {
    if (era === 'modern' && ENVELOPE_KEYS.has(key)) {
      envelope[key] = value;
      continue;
    }
    // Of what the protocol has put there, or may one day, only that is plain which is known here.
    if (key.startsWith(PROTOCOL_PREFIX) || key === '__proto__') return undefined;
    // One request cannot be told of progress in one answer.
    if (key === 'progressToken' && (era === 'modern' || !isRequestId(value))) return undefined;
    meta[key] = value;
    isEmpty = false;
  }
  if (era === 'modern' && !isPlainClient(envelope[CLIENT_CAPABILITIES_META_KEY])) return undefined;
  return { meta: isEmpty ? undefined : meta, envelope: era === 'modern' ? envelope : undefined };
}

/** With an extension, a result may be something else than a tool's. */
function isPlainClient(capabilities: unknown): boolean {
  return isRecord(capabilities) && capabilities.extensions === undefined;
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function hasOnly(value: Fields, keys: ReadonlySet<string>): boolean {
  for (const key of Object.keys(value)) if (!keys.has(key)) return false;
  return true;
}
