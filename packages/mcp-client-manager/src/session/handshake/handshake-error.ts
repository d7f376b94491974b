import { ManagerError } from '../../errors.js';
import { JsonRpcError, methodNotFound } from '../peer/json-rpc.js';
import { legacyVersions, modernVersion, unsupportedVersion } from '../protocol.js';

interface HandshakeContext {
  readonly server: string;
  readonly protocol: 'auto' | 'legacy' | '2026-07-28';
}

/**
 * An unusable response. `invalid`: no valid result. `version`: an unknown revision. `era`: the server does not support
 * revision 2026-07-28.
 */
export class HandshakeFault extends Error {
  override readonly name = 'HandshakeFault';
  readonly kind: 'invalid' | 'version' | 'era';

  constructor(kind: HandshakeFault['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export function eraFault(cause?: unknown): HandshakeFault {
  return new HandshakeFault('era', 'its response to "server/discover" does not offer that revision', { cause });
}

export function handshakeError(error: unknown, { server, protocol }: HandshakeContext): ManagerError {
  if (error instanceof ManagerError) return error;
  if (error instanceof JsonRpcError) {
    const rpc = { code: error.code, message: error.message, data: error.data };
    const message = `Server "${server}" refused the handshake: ${error.message} (${error.code})`;
    return new ManagerError('handshake-refused', message, { server, rpc, cause: error });
  }
  const fault = error instanceof HandshakeFault ? error.kind : 'invalid';
  const why = error instanceof Error ? error.message : String(error);
  if (fault === 'era') {
    const message = `Server "${server}" does not speak ${modernVersion}: ${why}. Set "protocol: auto".`;
    return new ManagerError('unsupported-protocol', message, { server, cause: error });
  }
  if (fault === 'version') {
    const ours = [...legacyVersions].join(', ');
    const message = `Server "${server}" has no protocol version in common with this client ("protocol: ${protocol}"): ${why}. Supported here: ${ours}.`;
    return new ManagerError('unsupported-protocol', message, { server, cause: error });
  }
  const message = `Server "${server}" sent an invalid response to the handshake. Check that it is an MCP server.`;
  return new ManagerError('handshake-refused', message, { server, cause: error });
}

/** Error for a server that supports only later revisions, although its spec says `protocol: legacy`. */
export function legacyOnlyError(error: JsonRpcError, { server }: Pick<HandshakeContext, 'server'>): ManagerError {
  const offered = (error.data as { supported?: unknown } | undefined)?.supported;
  const theirs = Array.isArray(offered) ? offered.join(', ') : `no revision before ${modernVersion}`;
  const ours = legacyVersions.join(', ');
  const message = `Server "${server}" speaks ${theirs}; "protocol: legacy" allows only ${ours}. Set "protocol: auto".`;
  return new ManagerError('unsupported-protocol', message, { server, cause: error });
}

export function isRefusedForItsEra(error: unknown): error is JsonRpcError {
  return error instanceof JsonRpcError && (error.code === methodNotFound || error.code === unsupportedVersion);
}
