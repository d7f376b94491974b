import {
  classifyInboundRequest,
  type JSONRPCNotification,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
} from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import { answerJson, type HttpAnswer, type HttpAsk, idOf } from '../http-messages.js';
import { isPlainEnvelope, MODERN_REVISION, unsupportedRevision } from '../methods/envelope.js';
import { readMessage } from '../methods/json-rpc-message.js';
import { standardHeaderFault } from './header-faults.js';

/** What serves a body: a session of an earlier revision, or a single exchange. */
export type RequestRoute =
  | { readonly kind: 'session' }
  | { readonly kind: 'exchange'; readonly message: JSONRPCRequest | JSONRPCNotification }
  | { readonly kind: 'refusal'; readonly error: ProtocolError; readonly status: number };

/** The body decides; the headers must agree with it. */
export function routeOf(ask: HttpAsk, body: object): RequestRoute {
  const route = plainRoute(ask, body) ?? classified(ask, body);
  if (route.kind !== 'exchange' || !('id' in route.message)) return route;
  const fault = standardHeaderFault(ask, route.message);
  return fault === undefined ? route : { kind: 'refusal', error: fault, status: 400 };
}

export function answerRefusal(
  { code, message, data }: ProtocolError,
  { status, body }: { status: number; body: unknown },
): HttpAnswer {
  const error = { code, message, ...(data !== undefined && { data }) };
  return answerJson({ jsonrpc: '2.0', error, id: idOf(body) }, { status });
}

/** Fast path for valid requests, which are most: the SDK's classification takes longer than a response. */
function plainRoute(ask: HttpAsk, body: object): RequestRoute | undefined {
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

function classified(ask: HttpAsk, body: object): RequestRoute {
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
