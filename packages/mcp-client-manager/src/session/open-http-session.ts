import { InsufficientScopeError, SdkHttpError } from '@modelcontextprotocol/client';
import { eitherSignal, onAbort } from '@x/internal/async';
import { authRequiredError, isAuthFailure } from '../auth/auth-failure.js';
import { recordMissingScope } from '../auth/auth-source.js';
import { isManagerError, ManagerError } from '../errors.js';
import { ConnectionServices, type OpenSessionOptions } from './connection-services.js';
import { discover, initialize, supportedVersions } from './handshake/handshake.js';
import { eraFault, handshakeError, isRefusedForItsEra } from './handshake/handshake-error.js';
import type { HttpChannel } from './http/http-channel.js';
import {
  describeHttpFailure,
  failedBeforeSending,
  httpFailure,
  httpRequestError,
  isNetworkFailure,
  isUnreachable,
} from './http/http-failure.js';
import { HttpSessionEnd } from './http/http-session-end.js';
import { type HttpTarget, sseChannel, streamableChannel } from './http/http-transports.js';
import { rpcErrorIn } from './http/refusal-body.js';
import { JsonRpcError } from './peer/json-rpc.js';
import type { Peer } from './peer/peer.js';
import { PeerSession } from './peer-session.js';
import { modernVersion } from './protocol.js';
import { type Session, SessionLostError } from './session.js';

export interface OpenHttpSessionOptions extends OpenSessionOptions, HttpTarget {}

/** After this silence `initialize` follows `server/discover`. */
const silenceMs = 3_000;

/** A server of revision 2024-11-05 answers Streamable HTTP with these. */
const refusalsOfStreamable: ReadonlySet<number> = new Set([400, 404, 405]);

/**
 * Connects to a server by URL over Streamable HTTP. `auto` sends `server/discover` first, and `initialize` after any
 * other response, a dropped connection or three seconds of silence. A server that used a legacy revision last time
 * receives `initialize` first. If the server refuses Streamable HTTP, tries HTTP with SSE.
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
    return discoverFirst(options); // it may have been upgraded since
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
    // A modern server that was silent for longer, perhaps on a busy machine, may refuse `initialize` in any way.
    if (!silence.signal.aborted || isFinal(error, options)) throw error;
    return await connectModern(options).catch((failure) => {
      throw isRefusedForItsEra(error) ? failure : error;
    });
  }
}

/**
 * The timer starts in the next turn of the event loop: the first request of a process loads the HTTP client. Decides
 * after reading pending input, which a busy machine delays.
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

/** Tries revision 2026-07-28. Each attempt has its own channel: a late response has no effect. */
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

/** A server without `server/discover` may respond with a status. */
const discoverOverHttp: typeof discover = (peer, introduction, how) => {
  const translate = (error: unknown): unknown => {
    if (!(error instanceof SdkHttpError)) return error;
    const { status } = error;
    const isAboutAccess = status === 401 || status === 403;
    if (isAboutAccess || status >= 500) return error;
    return jsonRpcErrorIn(error) ?? eraFault(new Error(`HTTP ${status}`));
  };
  return discover(peer, introduction, { ...how, translate });
};

const initializeOverHttp: typeof initialize = (peer, introduction, how) => {
  const translate = (error: unknown): unknown => {
    const refusal = error instanceof SdkHttpError ? jsonRpcErrorIn(error) : undefined;
    return isRefusedForItsEra(refusal) ? refusal : error;
  };
  return initialize(peer, introduction, { ...how, translate });
};

function jsonRpcErrorIn(refusal: SdkHttpError): JsonRpcError | undefined {
  const rpc = rpcErrorIn(refusal);
  return rpc && new JsonRpcError(rpc.code, rpc.message, rpc.data);
}

/** True if another handshake would fail for the same reason. */
function isFinal(error: unknown, { signal }: OpenHttpSessionOptions): boolean {
  if (signal.aborted || isAuthFailure(error)) return true;
  if (isManagerError(error)) return error.code === 'auth-required';
  return isNetworkFailure(error) && failedBeforeSending(error);
}

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
    const message = `Server "${server}" refused the connection at ${originOf(url)}: over Streamable HTTP, ${describeHttpFailure(refusal)}; over HTTP+SSE, ${describeHttpFailure(error)}. Check the path of the URL.`;
    throw new ManagerError('handshake-refused', message, { server, cause: safeCause(error) });
  }
}

async function connect(
  channel: HttpChannel,
  handshake: typeof initialize,
  options: OpenHttpSessionOptions,
  limit?: AbortSignal,
): Promise<Session> {
  const { signal, clientInfo, server, source, redact } = options;
  const parts = new ConnectionServices(channel, { ...options, onJunk: () => undefined });
  using either = eitherSignal(signal, ...(limit ? [limit] : []));
  const ignoreSignal = onAbort(either.signal, () => void channel.close().catch(() => undefined));
  try {
    either.signal.throwIfAborted();
    await channel.start();
    const introduction = { clientInfo, capabilities: parts.serverRequests.capabilities };
    const how = { signal: either.signal, onAgreed: (version: string) => channel.agreed(version) };
    const facts = await handshake(parts.peer, introduction, how);
    const end = new HttpSessionEnd(channel, parts);
    const session = new PeerSession(parts, { ...options, facts, channel, end, explain: httpRequestError });
    end.watch(session, (error) => {
      if (source && error instanceof InsufficientScopeError) recordMissingScope(source, error.requiredScope ?? '');
      return authRequiredError(error, { server, source, redact });
    });
    return session;
  } catch (error) {
    await channel.close().catch(() => undefined); // report the first failure
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
  const isQuoting = error instanceof TypeError || error instanceof SyntaxError; // they quote headers or the body
  return handshakeError(isQuoting ? safeCause(error) : error, options);
}

function unreachableError(cause: unknown, { server, url }: OpenHttpSessionOptions): ManagerError {
  const message = `Server "${server}" refused the connection at ${originOf(url)}: ${describeHttpFailure(cause)}.`;
  return new ManagerError('handshake-refused', message, { server, cause: safeCause(cause) });
}

function safeCause(error: unknown): Error {
  return isNetworkFailure(error) ? error : httpFailure(error);
}

/** Origin only: paths and queries of some servers contain keys. */
function originOf(url: string): string {
  return new URL(url).origin;
}
