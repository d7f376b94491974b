import { eraFault, HandshakeFault } from './handshake-error.js';
import { JsonRpcError, type Params } from './json-rpc.js';
import type { Peer } from './peer.js';
import { askPeer } from './plain-request.js';
import {
  clientCapabilitiesKey,
  clientInfoKey,
  legacyVersions,
  modernVersion,
  protocolVersionKey,
  unsupportedVersion,
} from './protocol.js';
import type { SessionFacts } from './session.js';
import { readDiscovered, readInitialized } from './session-facts.js';

/** What a client says of itself in the handshake. */
export interface Introduction {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly capabilities: Params;
}

export interface HandshakeOptions {
  readonly signal: AbortSignal;
  /** Called with the revision as soon as it is known: a transport may have to send it along. */
  readonly onAgreed: (protocolVersion: string) => void;
  /** What a failure of the transport means for the handshake. Default: the failure itself. */
  readonly translate?: (error: unknown) => unknown;
}

/**
 * The handshake of the revisions before 2026-07-28.
 *
 * @throws {JsonRpcError} The server refused. {HandshakeFault} It answered with nonsense, or with a revision that is not known.
 */
export async function initialize(
  peer: Peer,
  { clientInfo, capabilities }: Introduction,
  { signal, onAgreed, translate = (error) => error }: HandshakeOptions,
): Promise<SessionFacts> {
  const offer = { protocolVersion: legacyVersions[0], capabilities, clientInfo };
  const asked = askPeer(peer, 'initialize', offer, signal).catch((error: unknown) => Promise.reject(translate(error)));
  const facts = readInitialized(await asked);
  const { protocolVersion } = facts;
  if (!legacyVersions.includes(protocolVersion))
    throw new HandshakeFault('version', `Server's protocol version is not supported: ${protocolVersion}`);
  onAgreed(protocolVersion);
  await peer.notify('notifications/initialized');
  return facts;
}

/**
 * The handshake of revision 2026-07-28.
 *
 * @throws {JsonRpcError} The server speaks later revisions only, or refuses this one although it says that it speaks it.
 * @throws {HandshakeFault} It does not speak this revision.
 */
export async function discover(
  peer: Peer,
  introduction: Introduction,
  { signal, onAgreed, translate = (error) => error }: HandshakeOptions,
): Promise<SessionFacts> {
  const _meta = envelopeOf(introduction);
  for (let isFirst = true; ; isFirst = false) {
    try {
      const facts = readDiscovered(await askPeer(peer, 'server/discover', { _meta }, signal));
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

/** What every message of revision 2026-07-28 says of its sender. */
export function envelopeOf({ clientInfo, capabilities }: Introduction): Params {
  return {
    [protocolVersionKey]: modernVersion,
    [clientInfoKey]: clientInfo,
    [clientCapabilitiesKey]: capabilities,
  };
}

/** The revisions that a server names which refuses the one that it was offered. */
export function supportedVersions({ code, data }: JsonRpcError): readonly string[] | undefined {
  const supported = code === unsupportedVersion ? (data as { supported?: unknown } | undefined)?.supported : undefined;
  if (!Array.isArray(supported) || supported.length === 0) return undefined;
  return supported.every((version) => typeof version === 'string') ? supported : undefined;
}
