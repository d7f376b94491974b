import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server';
import type { RpcError } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import type { ClientRequest, Era, Fields } from './client-request.js';
import type { CacheHint, ClientServer, MethodRow } from './client-server.js';

interface SentFor {
  readonly row: MethodRow<never> | undefined;
  readonly request: ClientRequest;
}

const DEFAULT_HINT: CacheHint = { ttlMs: 0, cacheScope: 'private' };

/**
 * Adds to a result what revision 2026-07-28 requires.
 *
 * @throws {ProtocolError} if the result cannot be written as JSON, or asks the client for something that it does not
 * support.
 */
export function sentResult(server: ClientServer, result: Fields, { row, request }: SentFor): Fields {
  if (!isWritable(result))
    throw internal('The result cannot be written as JSON: it is nested too deeply, or has values without a JSON form');
  if (server.era === 'legacy') return result;
  const { resultType = 'complete', _meta } = result;
  if (resultType === 'input_required' && row?.mayRequestInput) requireSupported(result, request);
  const { name, version } = server.introduction;
  const hint = row?.isCacheable && resultType === 'complete' ? hintOf(server, result, request) : undefined;
  const meta = { [SERVER_INFO_META_KEY]: { name, version } };
  return {
    ...result,
    resultType,
    ...hint,
    ...((_meta === undefined || isRecord(_meta)) && { _meta: { ...meta, ..._meta } }),
  };
}

function hintOf(server: ClientServer, { ttlMs, cacheScope }: Fields, { method }: ClientRequest): CacheHint {
  const hint = method === 'tools/list' ? server.listHint : DEFAULT_HINT;
  return {
    ttlMs: Number.isSafeInteger(ttlMs) && Number(ttlMs) >= 0 ? Number(ttlMs) : hint.ttlMs,
    cacheScope: cacheScope === 'public' || cacheScope === 'private' ? cacheScope : hint.cacheScope,
  };
}

function requireSupported({ inputRequests, requestState }: Fields, { method, envelope }: ClientRequest): void {
  const requests = Object.entries(isRecord(inputRequests) ? inputRequests : {});
  if (requests.length === 0 && typeof requestState !== 'string') {
    throw internal(`The result of ${method} asks for input, and has neither inputRequests nor requestState`);
  }
  for (const [key, asked] of requests) {
    const required = isRecord(asked) ? requiredFor(asked) : undefined;
    if (required === undefined)
      throw internal(`The result of ${method} asks for the input "${key}" with an unknown method`);
    if (isDeclared(required, envelope[CLIENT_CAPABILITIES_META_KEY])) continue;
    const message = `Cannot request input '${key}' (${(asked as Fields).method}): the request's client capabilities do not declare the required capability`;
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: required }, message);
  }
}

function requiredFor({ method, params }: Fields): Readonly<Record<string, Fields>> | undefined {
  const { mode, tools, toolChoice } = isRecord(params) ? params : {};
  switch (method) {
    case 'elicitation/create':
      return { elicitation: mode === 'url' ? { url: {} } : { form: {} } };
    case 'sampling/createMessage':
      return { sampling: tools === undefined && toolChoice === undefined ? {} : { tools: {} } };
    case 'roots/list':
      return { roots: {} };
    default:
      return undefined;
  }
}

function isDeclared(required: Readonly<Record<string, Fields>>, declared: unknown): boolean {
  return Object.entries(required).every(([capability, members]) => {
    const own = isRecord(declared) ? declared[capability] : undefined;
    if (!isRecord(own)) return own !== undefined;
    // A client that declares no mode of elicitation supports forms.
    const takesForms = capability === 'elicitation' && own.url === undefined;
    return Object.keys(members).every((member) => own[member] !== undefined || (member === 'form' && takesForms));
  });
}

function internal(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InternalError, message);
}

/** This server's own code, in JSON-RPC's range for servers. MCP gives it no meaning. */
export const REFUSED = -32_000;
/** Before revision 2026-07-28, which uses -32602. */
const RESOURCE_NOT_FOUND = -32_002;

export function methodNotFound(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
}

export function wrongParams(message: string, data?: unknown): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, data);
}

/** Reports a forbidden resource like a nonexistent one. */
export function resourceNotFound(uri: string): ProtocolError {
  return new ProtocolError(RESOURCE_NOT_FOUND, 'Resource not found', { uri });
}

/** Keeps the error's code if the revision has it. Omits data that cannot be written as JSON. */
export function rpcError(
  cause: unknown,
  { era, mayRequestInput }: { readonly era: Era; readonly mayRequestInput: boolean },
): RpcError {
  const { code, message, data } = (isRecord(cause) ? cause : {}) as {
    code?: unknown;
    message?: unknown;
    data?: unknown;
  };
  const error = {
    code: Number.isSafeInteger(code) ? (code as number) : ProtocolErrorCode.InternalError,
    message: typeof message === 'string' ? message : 'Internal error',
    ...(data !== undefined && isWritable(data) && { data }),
  };
  if (era === 'legacy') return error;
  if (error.code === RESOURCE_NOT_FOUND) return { ...error, code: ProtocolErrorCode.InvalidParams };
  if (!mayRequestInput || error.code !== ProtocolErrorCode.UrlElicitationRequired) return error;
  return {
    code: ProtocolErrorCode.InternalError,
    message: 'The server requires a page in a form that this protocol revision lacks',
  };
}

/** JSON.stringify may overflow the stack for deeper values. */
const MAX_DEPTH = 2_000;

function isWritable(value: unknown): boolean {
  try {
    return isWritableAt(value, 0);
  } catch {
    return false; // a getter or a `toJSON` threw
  }
}

function isWritableAt(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  if (depth >= MAX_DEPTH) return false;
  if ('toJSON' in value && typeof value.toJSON === 'function') return isWritableAt(value.toJSON(), depth + 1);
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    if (!isWritableAt(each, depth + 1)) return false;
  }
  return true;
}
