import { JsonRpcError, type Params } from '../peer/json-rpc.js';
import type { Peer } from '../peer/peer.js';
import {
  clientCapabilitiesKey,
  clientInfoKey,
  legacyVersions,
  modernVersion,
  protocolVersionKey,
  unsupportedVersion,
} from '../protocol.js';
import type { SessionFacts } from '../session.js';
import { eraFault, HandshakeFault } from './handshake-error.js';
import { sendHandshakeRequest } from './handshake-request.js';
import { readDiscovered, readInitialized } from './session-facts.js';

export interface Introduction {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly capabilities: Params;
}

export interface HandshakeOptions {
  readonly signal: AbortSignal;
  /** Some transports send the revision as a header. */
  readonly onAgreed: (protocolVersion: string) => void;
  readonly translate?: (error: unknown) => unknown;
}

/**
 * Handshake of revisions before 2026-07-28.
 *
 * @throws {JsonRpcError} The server refused.
 * @throws {HandshakeFault} The response is invalid, or names an unknown revision.
 */
export async function initialize(
  peer: Peer,
  { clientInfo, capabilities }: Introduction,
  { signal, onAgreed, translate = (error) => error }: HandshakeOptions,
): Promise<SessionFacts> {
  const offer = { protocolVersion: legacyVersions[0], capabilities, clientInfo };
  const response = sendHandshakeRequest(peer, 'initialize', offer, signal).catch((error: unknown) =>
    Promise.reject(translate(error)),
  );
  const facts = readInitialized(await response);
  const { protocolVersion } = facts;
  if (!legacyVersions.includes(protocolVersion))
    throw new HandshakeFault('version', `Server's protocol version is not supported: ${protocolVersion}`);
  onAgreed(protocolVersion);
  await peer.notify('notifications/initialized');
  return facts;
}

/**
 * Handshake of revision 2026-07-28.
 *
 * @throws {JsonRpcError} The server supports only later revisions, or refuses this one although it lists it.
 * @throws {HandshakeFault} The server does not support this revision.
 */
export async function discover(
  peer: Peer,
  introduction: Introduction,
  { signal, onAgreed, translate = (error) => error }: HandshakeOptions,
): Promise<SessionFacts> {
  const _meta = envelopeOf(introduction);
  for (let isFirst = true; ; isFirst = false) {
    try {
      const facts = readDiscovered(await sendHandshakeRequest(peer, 'server/discover', { _meta }, signal));
      onAgreed(modernVersion);
      return facts;
    } catch (caught) {
      const error = translate(caught);
      if (!(error instanceof JsonRpcError)) throw error;
      const supported = supportedVersions(error);
      if (!supported) throw eraFault(error);
      if (!isFirst || !supported.includes(modernVersion)) throw error;
    }
  }
}

export function envelopeOf({ clientInfo, capabilities }: Introduction): Params {
  return {
    [protocolVersionKey]: modernVersion,
    [clientInfoKey]: clientInfo,
    [clientCapabilitiesKey]: capabilities,
  };
}

export function supportedVersions({ code, data }: JsonRpcError): readonly string[] | undefined {
  const supported = code === unsupportedVersion ? (data as { supported?: unknown } | undefined)?.supported : undefined;
  if (!Array.isArray(supported) || supported.length === 0) return undefined;
  return supported.every((version) => typeof version === 'string') ? supported : undefined;
}
