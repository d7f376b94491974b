import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  isSpecType,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import type { Fields } from './client-request.js';
import { wrongParams } from './responses.js';

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
