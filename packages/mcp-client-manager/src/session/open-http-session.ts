import { InsufficientScopeError, SdkHttpError } from '@modelcontextprotocol/client';
import { eitherSignal, onAbort } from '@x/internal/async';
import { isRecord } from '@x/internal/json';
import { authRequiredError, isAuthFailure } from '../auth/auth-failure.js';
import { noteWantedScope } from '../auth/wanted-scope.js';
import { isManagerError, ManagerError } from '../errors.js';
import { discover, initialize, supportedVersions } from './handshake.js';
import { eraFault, handshakeError, isRefusedForItsEra } from './handshake-error.js';
import type { HttpChannel } from './http-channel.js';
import { describeHttpFailure, failedBeforeSending, isNetworkFailure, isUnreachable } from './http-failure.js';
import { httpRequestError } from './http-request-error.js';
import { HttpSessionEnd } from './http-session-end.js';
import { type HttpTarget, sseChannel, streamableChannel } from './http-transports.js';
import { JsonRpcError, readRpcError } from './json-rpc.js';
import type { OpenSessionOptions } from './open-session-options.js';
import type { Peer } from './peer.js';
import { PeerParts } from './peer-parts.js';
import { PeerSession } from './peer-session.js';
import { modernVersion } from './protocol.js';
import { type Session, SessionLostError } from './session.js';

export interface OpenHttpSessionOptions extends OpenSessionOptions, HttpTarget {}

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
  const silence = new AbortController();
  const handshake: typeof discover = async (peer, introduction, how) => {
    using _ = silenceOf(peer, () => silence.abort(new Error('The server is silent')));
    return await discoverOverHttp(peer, introduction, how);
  };
  try {
    return await connect(streamableChannel(options), handshake, options, silence.signal);
  } catch (error) {
    if (isFinal(error, options) || speaksLaterRevisionsOnly(error)) throw error;
  }
  try {
    return await connectLegacy(options);
  } catch (error) {
    // A modern server that takes longer than that, to wake up for instance.
    if (silence.signal.aborted && !options.signal.aborted && isRefusedForItsEra(error)) return connectModern(options);
    throw error;
  }
}

/**
 * Calls `onSilent` when no byte has come for so long. Counts from when the request is on its way, since the first one of a
 * process loads its HTTP client, and decides after input is read: on a busy host an answer may wait to be.
 */
function silenceOf(peer: Peer, onSilent: () => void): Disposable {
  const sentAtMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const begin = setImmediate(() => {
    timer = setTimeout(() => setImmediate(decide, { isLast: false }), silenceMs);
  });
  let isOver = false;
  const decide = ({ isLast }: { isLast: boolean }): void => {
    if (isOver) return;
    if (isLast || peer.lastByteAt < sentAtMs) onSilent();
    else timer = setTimeout(decide, silenceMs, { isLast: true });
  };
  return {
    [Symbol.dispose]: () => {
      isOver = true;
      clearImmediate(begin);
      clearTimeout(timer);
    },
  };
}

/** Every attempt has a channel of its own: closing it ends the request, so that a late answer reaches nobody. */
function connectModern(options: OpenHttpSessionOptions): Promise<Session> {
  return connect(streamableChannel(options), discoverOverHttp, options);
}

async function connectLegacy(options: OpenHttpSessionOptions): Promise<Session> {
  try {
    return await connect(streamableChannel(options), initializeOverHttp, options);
  } catch (error) {
    if (options.signal.aborted || !isRefusalOfStreamable(error)) throw error;
    return connectOverSse(sseChannel(options), error, options);
  }
}

/** A server that does not know the request may say so by an HTTP status, with or without an error of the protocol. */
const discoverOverHttp: typeof discover = (peer, introduction, how) => {
  const translate = (error: unknown): unknown => {
    if (!(error instanceof SdkHttpError)) return error;
    const { status } = error;
    const isAboutAccess = status === 401 || status === 403;
    if (isAboutAccess || status >= 500) return error;
    return rpcErrorIn(error) ?? eraFault(new Error(`HTTP ${status}`));
  };
  return discover(peer, introduction, { ...how, translate });
};

/** The same, of a server that speaks later revisions only. */
const initializeOverHttp: typeof initialize = (peer, introduction, how) => {
  const translate = (error: unknown): unknown => {
    const refusal = error instanceof SdkHttpError ? rpcErrorIn(error) : undefined;
    return isRefusedForItsEra(refusal) ? refusal : error;
  };
  return initialize(peer, introduction, { ...how, translate });
};

function rpcErrorIn({ data }: SdkHttpError): JsonRpcError | undefined {
  try {
    const { error } = JSON.parse(String((data as { text?: unknown }).text)) as { error?: unknown };
    if (!isRecord(error) || typeof error.code !== 'number') return undefined;
    const { code, message } = readRpcError(error);
    return new JsonRpcError(code, message, error.data);
  } catch {
    return undefined; // it is no JSON
  }
}

/** Whether another handshake would fail for the same reason: nobody can be reached, or a sign-in is missing. */
function isFinal(error: unknown, { signal }: OpenHttpSessionOptions): boolean {
  if (signal.aborted || isAuthFailure(error)) return true;
  if (isManagerError(error)) return error.code === 'auth-required';
  return isNetworkFailure(error) && failedBeforeSending(error);
}

/** Whether the server named its revisions, and each of them is later than the latest of ours. */
function speaksLaterRevisionsOnly(error: unknown): boolean {
  const supported = error instanceof JsonRpcError ? supportedVersions(error) : undefined;
  return supported?.every((version) => version > modernVersion) ?? false;
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility */
async function connectOverSse(
  channel: HttpChannel,
  refusal: SdkHttpError,
  options: OpenHttpSessionOptions,
): Promise<Session> {
  try {
    return await connect(channel, initialize, options);
  } catch (error) {
    options.signal.throwIfAborted();
    if (isAuthFailure(error)) throw openError(error, options);
    const { server, url } = options;
    const message = `Server "${server}" did not take the connection at ${originOf(url)}: over Streamable HTTP, ${describeHttpFailure(refusal)}; over HTTP+SSE, ${describeHttpFailure(error)}. Is the path right?`;
    throw new ManagerError('handshake-refused', message, { server, cause: safeCause(error) });
  }
}

/** @param limit - Ends this attempt alone. */
async function connect(
  channel: HttpChannel,
  handshake: typeof initialize,
  options: OpenHttpSessionOptions,
  limit?: AbortSignal,
): Promise<Session> {
  const { signal, clientInfo, server, source, redact } = options;
  const parts = new PeerParts(channel, { ...options, onJunk: () => undefined });
  using held = eitherSignal(signal, ...(limit ? [limit] : []));
  // Closing the channel is what ends a request that the server does not answer.
  const ignoreSignal = onAbort(held.signal, () => void channel.close().catch(() => undefined));
  try {
    held.signal.throwIfAborted();
    await channel.start();
    const introduction = { clientInfo, capabilities: parts.answers.capabilities };
    const how = { signal: held.signal, onAgreed: (version: string) => channel.agreed(version) };
    const facts = await handshake(parts.peer, introduction, how);
    const end = new HttpSessionEnd(channel, parts);
    const session = new PeerSession(parts, { ...options, facts, channel, end, explain: httpRequestError });
    end.watch(session, (error) => {
      if (source && error instanceof InsufficientScopeError) noteWantedScope(source, error.requiredScope ?? '');
      return authRequiredError(error, { server, source, redact });
    });
    return session;
  } catch (error) {
    await channel.close().catch(() => undefined); // the first failure is the one to report
    throw error;
  } finally {
    ignoreSignal();
  }
}

function isRefusalOfStreamable(error: unknown): error is SdkHttpError {
  return error instanceof SdkHttpError && refusalsOfStreamable.has(error.status);
}

function openError(error: unknown, options: OpenHttpSessionOptions): ManagerError {
  const { server, source } = options;
  if (isAuthFailure(error)) return authRequiredError(error, { server, source });
  if (isUnreachable(error) || error instanceof SessionLostError) return unreachableError(error, options);
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
