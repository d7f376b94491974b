import {
  type Client,
  InsufficientScopeError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnsupportedProtocolVersionError,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import { authRequiredError, isAuthFailure } from '../auth/auth-failure.js';
import { noteWantedScope } from '../auth/wanted-scope.js';
import { isManagerError, ManagerError } from '../errors.js';
import { handshakeError, isRefusedForItsEra, modernVersion } from './handshake-error.js';
import { describeHttpFailure, failedBeforeSending, isNetworkFailure, isUnreachable } from './http-failure.js';
import { httpSession } from './http-session.js';
import type { HttpTransport } from './http-transport.js';
import { type HttpTarget, sseTransport, streamableTransport } from './http-transports.js';
import { noTimeoutMs } from './no-timeout.js';
import type { OpenSessionOptions } from './open-session-options.js';
import { prepareClient } from './prepared-client.js';
import { SdkSession } from './sdk-session.js';
import type { Session } from './session.js';

export interface OpenHttpSessionOptions extends OpenSessionOptions, HttpTarget {}

const legacy: VersionNegotiationOptions = { mode: 'legacy' };

/** How long a server may take to answer `server/discover` before it is sent `initialize`, in milliseconds. */
const silenceMs = 3_000;

/** With these a server of revision 2024-11-05 turns down what later ones begin with. */
const refusalsOfStreamable: ReadonlySet<number> = new Set([400, 404, 405]);

/**
 * Connects to a server by URL over Streamable HTTP. `auto` sends `server/discover` first. Any answer that is not a
 * discover result, a dropped connection, and three seconds of silence lead to `initialize`. A server that spoke a legacy
 * revision last time gets `initialize` first. A server that refuses Streamable HTTP is tried once more over HTTP+SSE, the
 * transport of revision 2024-11-05.
 *
 * @throws {ManagerError} `handshake-refused`, `unsupported-protocol` or `auth-required`.
 */
export async function openHttpSession(options: OpenHttpSessionOptions): Promise<Session> {
  try {
    return await negotiate(options);
  } catch (error) {
    options.signal.throwIfAborted();
    throw openError(error, options);
  }
}

async function negotiate(options: OpenHttpSessionOptions): Promise<Session> {
  if (options.protocol === modernVersion) return connectModern(options);
  if (options.protocol === 'legacy') return connectLegacy(options);
  if (options.lastEra !== 'legacy') return discoverFirst(options);
  try {
    return await connectLegacy(options);
  } catch (error) {
    if (isFinal(error, options)) throw error;
    return discoverFirst(options); // the server may have been replaced since
  }
}

async function discoverFirst(options: OpenHttpSessionOptions): Promise<Session> {
  let wasSilent: boolean;
  try {
    return await connectModern(options, silenceMs);
  } catch (error) {
    if (isFinal(error, options) || speaksLaterRevisionsOnly(error)) throw error;
    wasSilent = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
  }
  try {
    return await connectLegacy(options);
  } catch (error) {
    // A modern server that takes longer than that, to wake up for instance.
    if (wasSilent && !options.signal.aborted && isRefusedForItsEra(error)) return connectModern(options);
    throw error;
  }
}

/** Every attempt has a transport of its own: closing it ends the request, so that a late answer reaches nobody. */
function connectModern(options: OpenHttpSessionOptions, timeoutMs = noTimeoutMs): Promise<Session> {
  return connect(streamableTransport(options), { mode: { pin: modernVersion }, probe: { timeoutMs } }, options);
}

async function connectLegacy(options: OpenHttpSessionOptions): Promise<Session> {
  try {
    return await connect(streamableTransport(options), legacy, options);
  } catch (error) {
    if (options.signal.aborted || !isRefusalOfStreamable(error)) throw error;
    return connectOverSse(sseTransport(options), error, options);
  }
}

/** Whether another handshake would fail for the same reason: nobody can be reached, or a sign-in is missing. */
function isFinal(error: unknown, { signal }: OpenHttpSessionOptions): boolean {
  if (signal.aborted || isAuthFailure(error)) return true;
  if (isManagerError(error)) return error.code === 'auth-required';
  const cause = error instanceof SdkError ? error.cause : error; // the SDK wraps what its probe failed with
  return isAuthFailure(cause) || (isNetworkFailure(cause) && failedBeforeSending(cause));
}

/** Whether the server named its revisions, and each of them is later than the latest of ours. */
function speaksLaterRevisionsOnly(error: unknown): boolean {
  if (!(error instanceof UnsupportedProtocolVersionError) || error.supported.length === 0) return false;
  return error.supported.every((version) => version > modernVersion);
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility */
async function connectOverSse(
  transport: HttpTransport,
  refusal: SdkHttpError,
  options: OpenHttpSessionOptions,
): Promise<Session> {
  try {
    return await connect(transport, legacy, options);
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
  negotiation: VersionNegotiationOptions,
  options: OpenHttpSessionOptions,
): Promise<Session> {
  const { signal, server, source, redact } = options;
  const prepared = prepareClient(options, negotiation);
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
  return httpSession(new SdkSession(prepared, { ...options, lastByteAt: () => transport.lastByteAt }), {
    transport,
    onAuthFailure,
  });
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
