import { isRecord } from '@x/internal/json';
import { type JsonLimits, jsonSize } from '../lists/json-size.js';
import { JsonRpcError, type RawResult } from '../peer/json-rpc.js';
import { modernVersion, serverInfoKey, unsupportedVersion } from '../protocol.js';
import type { ServerCapabilities, SessionFacts } from '../session.js';
import { eraFault, HandshakeFault } from './handshake-error.js';

const capabilityLimits: JsonLimits = { maxBytes: 1_024 * 1_024, maxDepth: 256 };
/** For all capabilities, as JSON. Further ones are dropped. */
const maxCapabilityBytes = 4 * 1_024 * 1_024;

/** Known capabilities and their boolean flags. */
const knownCapabilities: Readonly<Record<string, readonly string[]>> = {
  experimental: [],
  logging: [],
  completions: [],
  prompts: ['listChanged'],
  resources: ['subscribe', 'listChanged'],
  tools: ['listChanged'],
  tasks: [],
  extensions: [],
};

/** @throws {HandshakeFault} The result is invalid. */
export function readInitialized({ protocolVersion, serverInfo, capabilities, instructions }: RawResult): SessionFacts {
  const info = readImplementation(serverInfo);
  if (typeof protocolVersion !== 'string' || !info || !areCapabilities(capabilities) || !isOptionalText(instructions))
    throw new HandshakeFault('invalid', 'The result of "initialize" does not follow the specification');
  return {
    era: 'legacy',
    protocolVersion,
    serverInfo: info,
    capabilities: withinLimits(capabilities),
    instructions,
  };
}

/**
 * @throws {HandshakeFault} The result is invalid.
 * @throws {JsonRpcError} The server supports only other revisions.
 */
export function readDiscovered({
  supportedVersions,
  capabilities,
  instructions,
  _meta: meta,
}: RawResult): SessionFacts {
  const areVersions = Array.isArray(supportedVersions) && supportedVersions.every((each) => typeof each === 'string');
  if (!areVersions || !areCapabilities(capabilities) || !isOptionalText(instructions)) throw eraFault();
  if (!supportedVersions.includes(modernVersion)) {
    const data = { supported: supportedVersions, requested: modernVersion };
    throw new JsonRpcError(unsupportedVersion, `Unsupported protocol version: ${modernVersion}`, data);
  }
  return {
    era: 'modern',
    protocolVersion: modernVersion,
    serverInfo: readImplementation(isRecord(meta) ? meta[serverInfoKey] : undefined),
    capabilities: withinLimits(capabilities),
    instructions,
  };
}

function readImplementation(value: unknown): SessionFacts['serverInfo'] {
  if (!isRecord(value) || typeof value.name !== 'string' || typeof value.version !== 'string') return undefined;
  return { name: value.name, version: value.version };
}

function areCapabilities(value: unknown): value is ServerCapabilities {
  if (!isRecord(value)) return false;
  return Object.entries(knownCapabilities).every(([name, flags]) => {
    const capability = Object.hasOwn(value, name) ? value[name] : undefined;
    if (capability === undefined) return true;
    if (!isRecord(capability)) return false;
    return flags.every((flag) => capability[flag] === undefined || typeof capability[flag] === 'boolean');
  });
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function withinLimits(capabilities: ServerCapabilities): ServerCapabilities {
  let bytes = 0;
  const kept = Object.entries(capabilities).filter(([, value]) => {
    const size = jsonSize(value, capabilityLimits);
    if (typeof size !== 'number' || bytes + size > maxCapabilityBytes) return false;
    bytes += size;
    return true;
  });
  return Object.fromEntries(kept);
}
