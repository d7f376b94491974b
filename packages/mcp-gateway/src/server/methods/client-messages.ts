import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  isSpecType,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  RELATED_TASK_META_KEY,
  type RequestId,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import type { Fields } from './client-request.js';
import { wrongParams } from './results.js';

interface MessageShape {
  readonly keys: ReadonlySet<string>;
  readonly fits: (message: Fields) => boolean;
}

const REQUEST: MessageShape = {
  keys: new Set(['jsonrpc', 'id', 'method', 'params']),
  fits: (message) => isRequestId(message.id) && hasMethod(message),
};
const NOTIFICATION: MessageShape = { keys: new Set(['jsonrpc', 'method', 'params']), fits: hasMethod };
const RESULT: MessageShape = {
  keys: new Set(['jsonrpc', 'id', 'result']),
  fits: ({ id, result }) => isRequestId(id) && isRecord(result) && isOptionalRecord(result._meta),
};
const ERROR: MessageShape = {
  keys: new Set(['jsonrpc', 'id', 'error']),
  fits: ({ id, error }) =>
    (id === undefined || isRequestId(id)) &&
    isRecord(error) &&
    Number.isSafeInteger(error.code) &&
    typeof error.message === 'string',
};

/** Returns `undefined` for a value that the protocol does not allow. */
export function readMessage(value: unknown): JSONRPCMessage | undefined {
  if (!isRecord(value) || value.jsonrpc !== '2.0') return undefined;
  const { keys, fits } = shapeOf(value);
  for (const key of Object.keys(value)) if (!keys.has(key)) return undefined;
  return fits(value) ? (value as unknown as JSONRPCMessage) : undefined;
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function shapeOf(value: Fields): MessageShape {
  if ('method' in value) return 'id' in value ? REQUEST : NOTIFICATION;
  return 'result' in value ? RESULT : ERROR;
}

function hasMethod({ method, params }: Fields): boolean {
  return typeof method === 'string' && (params === undefined || (isRecord(params) && isMeta(params._meta)));
}

function isMeta(meta: unknown): boolean {
  if (meta === undefined) return true;
  if (!isRecord(meta)) return false;
  const { progressToken: token, [RELATED_TASK_META_KEY]: task } = meta;
  return (
    (token === undefined || isRequestId(token)) &&
    (task === undefined || (isRecord(task) && typeof task.taskId === 'string'))
  );
}

function isOptionalRecord(value: unknown): boolean {
  return value === undefined || isRecord(value);
}

export const MODERN_REVISION = '2026-07-28';

export function envelopeError(envelope: Fields): ProtocolError | undefined {
  if (isPlainEnvelope(envelope)) return undefined;
  if (!(PROTOCOL_VERSION_META_KEY in envelope)) {
    const keys = `${PROTOCOL_VERSION_META_KEY}, ${CLIENT_CAPABILITIES_META_KEY}`;
    return wrongParams(
      `Request is missing the required _meta envelope for protocol revision ${MODERN_REVISION} (${keys})`,
    );
  }
  const body = { jsonrpc: '2.0', id: 0, method: 'server/discover', params: { _meta: envelope } };
  const outcome = classifyInboundRequest({ httpMethod: 'POST', body });
  if (outcome.kind === 'reject') return new ProtocolError(outcome.code, outcome.message, outcome.data);
  const requested = String(envelope[PROTOCOL_VERSION_META_KEY]);
  return requested === MODERN_REVISION ? undefined : unsupportedRevision(requested);
}

export function unsupportedRevision(requested: string): UnsupportedProtocolVersionError {
  return new UnsupportedProtocolVersionError({ supported: [MODERN_REVISION], requested });
}

/** Fast path for valid envelopes, which are most: the SDK's schemas take longer than most requests. */
export function isPlainEnvelope(envelope: Fields): boolean {
  return (
    envelope[PROTOCOL_VERSION_META_KEY] === MODERN_REVISION &&
    isPlainInfo(envelope[CLIENT_INFO_META_KEY]) &&
    isPlainCapabilities(envelope[CLIENT_CAPABILITIES_META_KEY]) &&
    envelope[LOG_LEVEL_META_KEY] === undefined
  );
}

function isPlainInfo(info: unknown): boolean {
  if (info === undefined) return true;
  if (!isRecord(info) || typeof info.name !== 'string' || typeof info.version !== 'string') return false;
  return Object.keys(info).length === 2 || isSpecType.Implementation(info);
}

function isPlainCapabilities(capabilities: unknown): boolean {
  return (
    isRecord(capabilities) && (Object.keys(capabilities).length === 0 || isSpecType.ClientCapabilities(capabilities))
  );
}
