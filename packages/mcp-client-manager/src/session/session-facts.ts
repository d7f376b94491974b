import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Client,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';
import { type JsonLimits, jsonSize } from './json-size.js';
import type { OpenSessionOptions } from './open-session-options.js';
import type { Params } from './request-lane.js';
import type { ServerCapabilities, SessionFacts } from './session.js';

/** For each capability that a server declares. */
const capabilityLimits: JsonLimits = { maxBytes: 1_024 * 1_024, maxDepth: 256 };

/** What the server has said of itself to a client that is connected. */
export function readFacts(client: Client): SessionFacts {
  const version = client.getServerVersion();
  return {
    era: client.getProtocolEra() === 'modern' ? 'modern' : 'legacy',
    protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
    serverInfo: version && { name: version.name, version: version.version },
    capabilities: withinLimits(client.getServerCapabilities() ?? {}),
    instructions: client.getInstructions(),
  };
}

/** What every message of revision 2026-07-28 says of its sender; `undefined` before, where the handshake has said it. */
export function envelopeOf(
  { era, protocolVersion }: SessionFacts,
  { clientInfo, capabilities }: Pick<OpenSessionOptions, 'clientInfo'> & { readonly capabilities: Params },
): Params | undefined {
  if (era === 'legacy') return undefined;
  return {
    [PROTOCOL_VERSION_META_KEY]: protocolVersion,
    [CLIENT_INFO_META_KEY]: clientInfo,
    [CLIENT_CAPABILITIES_META_KEY]: capabilities,
  };
}

/** Without capabilities that nobody could write down or compare. */
function withinLimits(capabilities: object): ServerCapabilities {
  const kept = Object.entries(capabilities).filter(
    ([, value]) => typeof jsonSize(value, capabilityLimits) === 'number',
  );
  return Object.fromEntries(kept);
}
