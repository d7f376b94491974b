import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/client';
import { ManagerError } from '../errors.js';

export const modernVersion = '2026-07-28';
const methodNotFound = -32_601;
const unsupportedVersion = -32_022;

interface HandshakeContext {
  readonly server: string;
  readonly protocol: 'auto' | 'legacy' | '2026-07-28';
}

/** Whatever a handshake failed with while the connection held, as one of our own errors. */
export function handshakeError(error: unknown, { server, protocol }: HandshakeContext): ManagerError {
  if (error instanceof ManagerError) return error;
  if (error instanceof ProtocolError) {
    const rpc = { code: error.code, message: error.message, data: error.data };
    const message = `Server "${server}" refused the handshake: ${error.message} (${error.code})`;
    return new ManagerError('handshake-refused', message, { server, rpc, cause: error });
  }
  if (hasNoEraInCommon(error)) {
    const message = `Server "${server}" does not speak ${modernVersion}: ${error.message}`;
    return new ManagerError('unsupported-protocol', message, { server, cause: error });
  }
  if (error instanceof Error && error.message.includes('protocol version is not supported')) {
    const ours = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
    const message = `No protocol version in common with server "${server}" ("protocol: ${protocol}"): ${error.message}; supported here: ${ours}`;
    return new ManagerError('unsupported-protocol', message, { server, cause: error });
  }
  const message = `Server "${server}" answered the handshake with something that is no valid result. Is it an MCP server?`;
  return new ManagerError('handshake-refused', message, { server, cause: error });
}

/** For a server that speaks the later revisions only, when the spec allows the earlier ones only. */
export function legacyOnlyError(error: ProtocolError, { server }: Pick<HandshakeContext, 'server'>): ManagerError {
  const offered = (error.data as { supported?: unknown } | undefined)?.supported;
  const theirs = Array.isArray(offered) ? offered.join(', ') : `no revision before ${modernVersion}`;
  const ours = SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version < modernVersion).join(', ');
  const message = `Server "${server}" speaks ${theirs}; "protocol: legacy" allows only ${ours}. Set "protocol: auto".`;
  return new ManagerError('unsupported-protocol', message, { server, cause: error });
}

/** Whether the server refused `initialize` because it speaks later revisions only. */
export function isRefusedForItsEra(error: unknown): error is ProtocolError {
  return error instanceof ProtocolError && (error.code === methodNotFound || error.code === unsupportedVersion);
}

/** The SDK uses one code for a server of the other era and, with a cause or a status, for one that cannot be reached. */
function hasNoEraInCommon(error: unknown): error is SdkError {
  return (
    error instanceof SdkError &&
    error.code === SdkErrorCode.EraNegotiationFailed &&
    !(error instanceof SdkHttpError) &&
    error.cause === undefined
  );
}
