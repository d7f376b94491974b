import {
  type Client,
  InsufficientScopeError,
  SdkHttpError,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { authRequiredError, isAuthFailure } from '../auth/auth-failure.js';
import { noteWantedScope } from '../auth/wanted-scope.js';
import { ManagerError } from '../errors.js';
import { handshakeError } from './handshake-error.js';
import { describeHttpFailure, isNetworkFailure, isUnreachable } from './http-failure.js';
import { httpSession } from './http-session.js';
import type { HttpTransport } from './http-transport.js';
import { type HttpTarget, sseTransport, streamableTransport } from './http-transports.js';
import { noTimeoutMs } from './no-timeout.js';
import type { OpenSessionOptions } from './open-session-options.js';
import { prepareClient } from './prepared-client.js';
import { SdkSession } from './sdk-session.js';
import type { Session } from './session.js';

export interface OpenHttpSessionOptions extends OpenSessionOptions, HttpTarget {}

const negotiationModes: Readonly<Record<OpenSessionOptions['protocol'], VersionNegotiationMode>> = {
  auto: 'auto',
  legacy: 'legacy',
  '2026-07-28': { pin: '2026-07-28' },
};

/** With these a server of revision 2024-11-05 turns down what later ones begin with. */
const refusalsOfStreamable: ReadonlySet<number> = new Set([400, 404, 405]);

/**
 * Connects to a server by URL over Streamable HTTP. Here the SDK finds out the era: a probe costs a request, never a
 * process. A server that does not take that is tried once more over HTTP+SSE, the transport of revision 2024-11-05.
 *
 * @throws {ManagerError} `handshake-refused`, `unsupported-protocol` or `auth-required`.
 */
export async function openHttpSession(options: OpenHttpSessionOptions): Promise<Session> {
  try {
    return await connect(streamableTransport(options), negotiationModes[options.protocol], options);
  } catch (error) {
    options.signal.throwIfAborted();
    if (options.protocol === '2026-07-28' || !isRefusalOfStreamable(error)) throw openError(error, options);
    return await connectOverSse(sseTransport(options), error, options);
  }
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility */
async function connectOverSse(
  transport: HttpTransport,
  refusal: SdkHttpError,
  options: OpenHttpSessionOptions,
): Promise<Session> {
  try {
    return await connect(transport, 'legacy', options);
  } catch (error) {
    options.signal.throwIfAborted();
    if (isAuthFailure(error)) throw openError(error, options);
    const { server, url } = options;
    const message = `Server "${server}" did not take the connection at ${originOf(url)}: over Streamable HTTP, ${describeHttpFailure(refusal)}; over HTTP+SSE, ${describeHttpFailure(error)}. Is the path right?`;
    throw new ManagerError('handshake-refused', message, { server, cause: safeCause(error) });
  }
}

async function connect(
  transport: HttpTransport,
  mode: VersionNegotiationMode,
  options: OpenHttpSessionOptions,
): Promise<Session> {
  const { signal, server, source, redact } = options;
  const prepared = prepareClient(options, mode);
  // Not the client's: that has no transport yet while the SDK finds out the era, and would leave it waiting for ever.
  const abort = (): void => void transport.close().catch(() => undefined);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    // The SDK declares optional callbacks in two ways that exactOptionalPropertyTypes holds apart.
    await prepared.client.connect(transport as Parameters<Client['connect']>[0], { signal, timeout: noTimeoutMs });
  } catch (error) {
    await transport.close().catch(() => undefined); // the first failure is the one to report
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
  const onAuthFailure = (error: unknown): Error => {
    if (source && error instanceof InsufficientScopeError) noteWantedScope(source, error.requiredScope ?? '');
    return authRequiredError(error, { server, source, redact });
  };
  return httpSession(new SdkSession(prepared, options), { transport, onAuthFailure });
}

function isRefusalOfStreamable(error: unknown): error is SdkHttpError {
  return error instanceof SdkHttpError && refusalsOfStreamable.has(error.status);
}

function openError(error: unknown, options: OpenHttpSessionOptions): ManagerError {
  const { server, source } = options;
  if (isAuthFailure(error)) return authRequiredError(error, { server, source });
  if (isUnreachable(error)) return unreachableError(error, options);
  const isQuoting = error instanceof TypeError || error instanceof SyntaxError; // a header, or the answer
  return handshakeError(isQuoting ? safeCause(error) : error, options);
}

function unreachableError(cause: unknown, { server, url }: OpenHttpSessionOptions): ManagerError {
  const message = `Server "${server}" did not take the connection at ${originOf(url)}: ${describeHttpFailure(cause)}.`;
  return new ManagerError('handshake-refused', message, { server, cause: safeCause(cause) });
}

/**
 * The failure without what the server wrote beside the status, or what the request was sent with: either may be the
 * headers, which hold secrets. The SDK has them in messages and data at several depths.
 */
function safeCause(error: unknown): Error {
  return isNetworkFailure(error) ? error : new Error(describeHttpFailure(error));
}

/** Every other part of a URL may be a secret: there are servers whose path holds a key. */
function originOf(url: string): string {
  return new URL(url).origin;
}
