import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/client';
import { ManagerError } from '../errors.js';
import type { MessageChannel } from '../transport/message-channel.js';
import { sdkSession } from './sdk-session.js';
import { SdkTransportPort } from './sdk-transport.js';
import { type Session, SessionLostError } from './session.js';

export interface OpenSessionOptions {
  readonly server: string;
  readonly protocol: 'auto' | 'legacy' | '2026-07-28';
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Ends the handshake; the promise rejects with the signal's reason. */
  readonly signal: AbortSignal;
  readonly onToolsChanged: () => void;
}

const modernVersion = '2026-07-28';
const methodNotFound = -32_601;
const unsupportedVersion = -32_022;

/**
 * Runs the handshake on a channel. `auto` sends `initialize` first: every server of the 2024 and 2025 revisions takes
 * it, one that speaks both eras too, and one that speaks only the later refuses it at once and is then asked with
 * `server/discover` on the same process. That is one round trip more for those, and no second process for anybody.
 *
 * @throws {ManagerError} `handshake-refused` or `unsupported-protocol`.
 * @throws {SessionLostError} The channel ended first.
 */
export async function openStdioSession(
  channel: MessageChannel,
  { onJunk, ...options }: OpenSessionOptions & { onJunk: (text: string) => void },
): Promise<Session> {
  const port = new SdkTransportPort(channel, { onJunk });
  const abort = (): void => port.close();
  options.signal.addEventListener('abort', abort, { once: true });
  try {
    const session = await negotiate(port, options);
    if (port.isClosed) throw new Error('The channel ended with the handshake');
    return session;
  } catch (error) {
    options.signal.throwIfAborted();
    if (!port.isClosed) throw handshakeError(error, options);
    throw new SessionLostError('The connection was closed during the handshake', { sent: true, cause: error });
  } finally {
    options.signal.removeEventListener('abort', abort);
  }
}

async function negotiate(port: SdkTransportPort, options: OpenSessionOptions): Promise<Session> {
  options.signal.throwIfAborted();
  if (options.protocol === modernVersion) return connect(port, modernClient(options), options);
  try {
    return await connect(port, legacyClient(options), options);
  } catch (error) {
    if (!isRefusedForItsEra(error)) throw error;
    if (options.protocol === 'legacy') throw eraError(error, options);
  }
  return connect(port, modernClient(options), options);
}

async function connect(port: SdkTransportPort, client: Client, options: OpenSessionOptions): Promise<Session> {
  await client.connect(port.attach(), { signal: options.signal, timeout: 2_147_483_647 });
  return sdkSession(client, options);
}

function legacyClient({ clientInfo }: OpenSessionOptions): Client {
  return new Client({ ...clientInfo }, { versionNegotiation: { mode: 'legacy' } });
}

function modernClient({ clientInfo }: OpenSessionOptions): Client {
  return new Client({ ...clientInfo }, { versionNegotiation: { mode: { pin: modernVersion } } });
}

function isRefusedForItsEra(error: unknown): error is ProtocolError {
  return error instanceof ProtocolError && (error.code === methodNotFound || error.code === unsupportedVersion);
}

function eraError(error: ProtocolError, { server }: OpenSessionOptions): ManagerError {
  const offered = (error.data as { supported?: unknown } | undefined)?.supported;
  const theirs = Array.isArray(offered) ? offered.join(', ') : `no revision before ${modernVersion}`;
  const ours = SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version < modernVersion).join(', ');
  return new ManagerError(
    'unsupported-protocol',
    `Server "${server}" speaks ${theirs}; "protocol: legacy" allows only ${ours}. Set "protocol: auto".`,
    { server, cause: error },
  );
}

function handshakeError(error: unknown, { server, protocol }: OpenSessionOptions): unknown {
  if (error instanceof ManagerError) return error;
  if (error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed) {
    return new ManagerError(
      'unsupported-protocol',
      `Server "${server}" does not speak ${modernVersion}: ${error.message}`,
      {
        server,
        cause: error,
      },
    );
  }
  if (error instanceof ProtocolError) {
    return new ManagerError(
      'handshake-refused',
      `Server "${server}" refused the handshake: ${error.message} (${error.code})`,
      { server, rpc: { code: error.code, message: error.message, data: error.data }, cause: error },
    );
  }
  if (error instanceof Error && error.message.includes('protocol version is not supported')) {
    const ours = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
    return new ManagerError(
      'unsupported-protocol',
      `No protocol version in common with server "${server}" ("protocol: ${protocol}"): ${error.message}; supported here: ${ours}`,
      { server, cause: error },
    );
  }
  return error;
}
