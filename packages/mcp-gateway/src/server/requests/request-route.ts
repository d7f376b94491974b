import {
  classifyInboundRequest,
  type JSONRPCNotification,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
} from '@modelcontextprotocol/server';
import type { JsonSchema } from '@x/internal/contracts';
import { HEADER_KEYWORD } from '@x/internal/headers';
import { isRecord } from '@x/internal/json';
import { type HttpRequest, type HttpResponse, idOf, jsonResponse } from '../http-messages.js';
import { isPlainEnvelope, MODERN_REVISION, readMessage, unsupportedRevision } from '../methods/client-messages.js';

/** Target of a body: a session of an earlier revision, or a single exchange. */
export type RequestRoute =
  | { readonly kind: 'session' }
  | { readonly kind: 'exchange'; readonly message: JSONRPCRequest | JSONRPCNotification }
  | { readonly kind: 'refusal'; readonly error: ProtocolError; readonly status: number };

/** Route of a request. The body decides; the headers must agree with it. */
export function routeOf(ask: HttpRequest, body: object): RequestRoute {
  const route = plainRoute(ask, body) ?? classified(ask, body);
  if (route.kind !== 'exchange' || !('id' in route.message)) return route;
  const fault = standardHeaderFault(ask, route.message);
  return fault === undefined ? route : { kind: 'refusal', error: fault, status: 400 };
}

export function refusalResponse(
  { code, message, data }: ProtocolError,
  { status, body }: { status: number; body: unknown },
): HttpResponse {
  const error = { code, message, ...(data !== undefined && { data }) };
  return jsonResponse({ jsonrpc: '2.0', error, id: idOf(body) }, { status });
}

/** Fast path for valid requests, which are most: the SDK's classification takes longer than a response. */
function plainRoute(ask: HttpRequest, body: object): RequestRoute | undefined {
  const message = readMessage(body);
  if (message === undefined || !('method' in message) || message.method === 'initialize') return undefined;
  const version = ask.header('mcp-protocol-version');
  const meta = message.params?._meta;
  if (!isRecord(meta) || !(PROTOCOL_VERSION_META_KEY in meta)) {
    return version === null || version < MODERN_REVISION ? { kind: 'session' } : undefined;
  }
  const isPlain = version === MODERN_REVISION && ask.header('mcp-method') === message.method && isPlainEnvelope(meta);
  return isPlain ? { kind: 'exchange', message } : undefined;
}

function classified(ask: HttpRequest, body: object): RequestRoute {
  const headers = {
    ...given('protocolVersionHeader', ask.header('mcp-protocol-version')),
    ...given('mcpMethodHeader', ask.header('mcp-method')),
    ...given('mcpNameHeader', ask.header('mcp-name')),
  };
  const outcome = classifyInboundRequest({ httpMethod: ask.method, ...headers, body });
  if (outcome.kind === 'legacy') return { kind: 'session' };
  if (outcome.kind === 'reject') {
    const error = new ProtocolError(outcome.code, outcome.message, outcome.data);
    return { kind: 'refusal', error, status: outcome.httpStatus };
  }
  const { revision = 'unknown' } = outcome.classification;
  if (revision !== MODERN_REVISION) return { kind: 'refusal', error: unsupportedRevision(revision), status: 400 };
  return { kind: 'exchange', message: outcome.message };
}

function given(name: string, value: string | null): Readonly<Record<string, string>> {
  return value === null ? {} : { [name]: value };
}

interface HeaderArgument {
  readonly path: readonly string[];
  readonly header: string;
  readonly type: unknown;
}

const HEADER_MISMATCH = -32_020;
/** The parameter that `Mcp-Name` repeats. */
const NAMES: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};
const ENCODED = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DECIMAL = /^-?\d+(\.\d+)?$/;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Checks the headers that repeat a part of the body: their presence, and the value of `Mcp-Name`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#standard-request-headers
 */
function standardHeaderFault(ask: HttpRequest, { method, params }: JSONRPCRequest): ProtocolError | undefined {
  if (ask.header('mcp-protocol-version') === null) {
    return missing(`the body envelope names protocol version ${MODERN_REVISION}`, 'MCP-Protocol-Version');
  }
  if (ask.header('mcp-method') === null) return missing(`the body names method ${method}`, 'Mcp-Method');
  const field = Object.hasOwn(NAMES, method) ? NAMES[method] : undefined;
  if (field === undefined) return undefined;
  const named = params?.[field];
  const header = withoutBlanks(ask.header('mcp-name'));
  const carried = `the body carries params.${field}="${named}"`;
  if (header === undefined) return typeof named === 'string' ? missing(carried, 'Mcp-Name') : undefined;
  const decoded = decode(header);
  if (decoded === undefined) return mismatch(header, 'the Mcp-Name header carries an invalid Base64 sentinel value');
  if (typeof named !== 'string' || decoded === named) return undefined;
  return mismatch(header, `${carried} but the Mcp-Name header names "${decoded}"`);
}

/** Checks the headers that repeat arguments, as the tool's input schema requires. */
export function argumentHeaderFault(
  ask: HttpRequest,
  schema: JsonSchema | undefined,
  args: unknown,
): ProtocolError | undefined {
  for (const argument of schema === undefined ? [] : argumentsInHeaders(schema)) {
    const fault = argumentFault(ask, argument, args);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function argumentFault(
  ask: HttpRequest,
  { path, header, type }: HeaderArgument,
  args: unknown,
): ProtocolError | undefined {
  const value = path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), args);
  const text = textOf(value);
  if (text === undefined) return undefined;
  const name = `Mcp-Param-${header}`;
  const carried = `the body carries ${path.join('.')}=${JSON.stringify(value)}`;
  const given = ask.header(name.toLowerCase());
  if (given === null) return mismatch(name, `${carried} but the ${name} header is absent`);
  const decoded = decode(given);
  if (decoded === undefined) return mismatch(name, `the ${name} header carries an invalid Base64 sentinel value`);
  const isNumber = type === 'integer' && typeof value === 'number' && DECIMAL.test(decoded);
  if (isNumber ? Number(decoded) === value : decoded === text) return undefined;
  return mismatch(name, `the ${name} header decodes to ${JSON.stringify(decoded)} but ${carried}`);
}

const known = new WeakMap<object, readonly HeaderArgument[]>();

function argumentsInHeaders(schema: JsonSchema): readonly HeaderArgument[] {
  const found = known.get(schema) ?? Array.from(headerArguments(schema, []));
  known.set(schema, found);
  return found;
}

function* headerArguments(schema: unknown, path: readonly string[]): Generator<HeaderArgument> {
  if (!isRecord(schema)) return;
  const { [HEADER_KEYWORD]: header, type, properties } = schema;
  if (typeof header === 'string') yield { path, header, type };
  if (!isRecord(properties)) return;
  for (const [key, property] of Object.entries(properties)) yield* headerArguments(property, [...path, key]);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** Linear: a regular expression would look for the end at each blank of a long run. */
function withoutBlanks(header: string | null): string | undefined {
  if (header === null) return undefined;
  let [from, to] = [0, header.length];
  while (from < to && isBlank(header[from])) from++;
  while (to > from && isBlank(header[to - 1])) to--;
  return header.slice(from, to);
}

const isBlank = (character: string | undefined) => character === ' ' || character === '\t';

function decode(header: string): string | undefined {
  const encoded = ENCODED.exec(header)?.[1];
  if (encoded === undefined) return header;
  if (!BASE64.test(encoded)) return undefined;
  try {
    return UTF8.decode(Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

function missing(carried: string, header: string): ProtocolError {
  return mismatch('(missing)', `${carried} but the required ${header} header is absent`);
}

function mismatch(header: string, body: string): ProtocolError {
  const message = `Bad Request: the request headers and body disagree: ${body}`;
  return new ProtocolError(HEADER_MISMATCH, message, { mismatch: { header, body } });
}
