import { Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { ManagerError } from '../errors.js';
import { handshakeError } from './handshake-error.js';
import { describeHttpFailure, isUnreachable } from './http-failure.js';
import type { OpenSessionOptions } from './open-stdio-session.js';
import { sdkSession } from './sdk-session.js';
import type { Session } from './session.js';

const negotiationModes: Readonly<Record<OpenSessionOptions['protocol'], VersionNegotiationMode>> = {
  auto: 'auto',
  legacy: 'legacy',
  '2026-07-28': { pin: '2026-07-28' },
};

/**
 * Connects to a server by URL over Streamable HTTP. Here the SDK finds out the era: a probe costs a request, never a
 * process.
 *
 * @throws {ManagerError} `handshake-refused` or `unsupported-protocol`, with the SDK's error as `cause`.
 */
export async function openHttpSession({
  url,
  headers,
  ...options
}: OpenSessionOptions & { url: string; headers: Readonly<Record<string, string>> }): Promise<Session> {
  const client = new Client(
    { ...options.clientInfo },
    { versionNegotiation: { mode: negotiationModes[options.protocol] } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } } });
  // Not the client's: that has no transport yet while the SDK finds out the era, and would leave it waiting for ever.
  const abort = (): void => void transport.close().catch(() => undefined);
  options.signal.addEventListener('abort', abort, { once: true });
  try {
    // The SDK declares optional callbacks in two ways that exactOptionalPropertyTypes holds apart.
    await client.connect(transport as Parameters<Client['connect']>[0], {
      signal: options.signal,
      timeout: 2_147_483_647,
    });
  } catch (error) {
    await transport.close().catch(() => undefined); // the first failure is the one to report
    options.signal.throwIfAborted();
    throw isUnreachable(error)
      ? unreachableError(error, { server: options.server, url })
      : handshakeError(error, options);
  } finally {
    options.signal.removeEventListener('abort', abort);
  }
  return sdkSession(client, options);
}

function unreachableError(cause: unknown, { server, url }: { server: string; url: string }): ManagerError {
  const message = `Server "${server}" did not take the connection at ${withoutSecrets(url)}: ${describeHttpFailure(cause)}.`;
  return new ManagerError('handshake-refused', message, { server, cause });
}

/** Credentials and query parameters of a URL may be secrets; a message shows neither. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
