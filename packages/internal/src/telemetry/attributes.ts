import type { Attributes } from '@opentelemetry/api';
import type { OperationOutcome, PeerFacts } from '../contracts/telemetry.js';
import { isRecord } from '../json/json-values.js';
import { escapeHidden, startOf } from '../text.js';

const MAX_TEXT = 128;
const PLAIN = /^[\x20-\x7e]*$/;

/** Foreign text of bounded length without hidden characters. */
export function shortText(text: string, length = MAX_TEXT): string {
  return text.length <= length && PLAIN.test(text) ? text : escapeHidden(startOf(text, length));
}

const networks = { stdio: 'pipe', http: 'tcp', 'in-process': undefined } as const;
const known = new WeakMap<PeerFacts, PeerAttributes>();

interface PeerAttributes {
  /** Of metrics. */
  readonly shared: Attributes;
  /** Without the server's name, which the request has. */
  readonly span: Attributes;
}

/** Attributes of a connection, computed once. */
export function peerAttributes(peer: PeerFacts): PeerAttributes {
  const found = known.get(peer);
  if (found !== undefined) return found;
  const { protocolVersion, sessionId, transport, url, server } = peer;
  const network = networks[transport];
  const link = {
    ...(protocolVersion !== undefined && { 'mcp.protocol.version': shortText(protocolVersion) }),
    ...(network !== undefined && { 'network.transport': network }),
    ...(transport === 'http' && { 'network.protocol.name': 'http' }),
    ...(url !== undefined && address(url)),
  };
  const shared = server === undefined ? link : { ...link, 'mcpx.server': server };
  const span = sessionId === undefined ? link : { ...link, 'mcp.session.id': shortText(sessionId) };
  known.set(peer, { shared, span });
  return { shared, span };
}

function address(text: string): Attributes {
  if (!URL.canParse(text)) return {};
  const { hostname, port, protocol } = new URL(text);
  return { 'server.address': hostname, 'server.port': Number(port || (protocol === 'https:' ? 443 : 80)) };
}

/** `error.type` and `rpc.response.status_code`; empty for a success. */
export function outcomeAttributes(outcome: OperationOutcome): Attributes {
  if ('result' in outcome) return outcome.result.isError === true ? toolError : success;
  return errorAttributes(outcome.error);
}

const success: Attributes = {};
const toolError: Attributes = { 'error.type': 'tool_error' };

export function errorAttributes(error: unknown): Attributes {
  const { rpc, code, name } = isRecord(Object(error)) ? (error as Record<string, unknown>) : {};
  const status = isRecord(rpc) ? rpc.code : code;
  if (Number.isSafeInteger(status)) return { 'error.type': String(status), 'rpc.response.status_code': String(status) };
  if (typeof code === 'string' && /^[a-z][a-z-]{0,40}$/.test(code)) return { 'error.type': code };
  return { 'error.type': name === 'AbortError' ? 'cancelled' : '_OTHER' };
}
