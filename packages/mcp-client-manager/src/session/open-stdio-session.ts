import type { VersionNegotiationMode } from '@modelcontextprotocol/client';
import type { MessageChannel } from '../transport/message-channel.js';
import { handshakeError, isRefusedForItsEra, legacyOnlyError, modernVersion } from './handshake-error.js';
import { noTimeoutMs } from './no-timeout.js';
import type { OpenSessionOptions } from './open-session-options.js';
import { prepareClient } from './prepared-client.js';
import { SdkSession } from './sdk-session.js';
import { SdkTransportPort } from './sdk-transport.js';
import { type Session, SessionLostError } from './session.js';
import { withStderrTail } from './with-stderr-tail.js';

/** Older servers may stay silent when they are asked with `server/discover`. How long to wait, in milliseconds. */
const silenceMs = 3_000;

export interface StdioSessionOptions extends OpenSessionOptions {
  readonly onJunk: (text: string) => void;
  /** The last lines that the process has written to stderr, for a handshake that fails. Default: there is no process. */
  readonly stderrTail?: (() => readonly string[]) | undefined;
  /** When the process wrote to stderr last, by `performance.now()`. Default: there is no process. */
  readonly lastStderrAt?: (() => number) | undefined;
}

/**
 * Runs the handshake on a channel. `auto` sends `initialize` first: every server of the 2024 and 2025 revisions takes
 * it, one that speaks both eras too, and one that speaks only the later refuses it at once and is then asked with
 * `server/discover` on the same process. That is one round trip more for those, and no second process for anybody. One
 * that was of the later era last time is asked the other way round.
 *
 * @throws {ManagerError} `handshake-refused` or `unsupported-protocol`.
 * @throws {SessionLostError} The channel ended first.
 */
export async function openStdioSession(
  channel: MessageChannel,
  { onJunk, stderrTail = () => [], lastStderrAt = () => 0, ...options }: StdioSessionOptions,
): Promise<Session> {
  const port = new SdkTransportPort(channel, { onJunk, redact: options.redact, lastStderrAt });
  const abort = (): void => port.close();
  options.signal.addEventListener('abort', abort, { once: true });
  try {
    const session = await negotiate(port, options);
    if (port.isClosed) throw new Error('The channel ended with the handshake');
    return session;
  } catch (error) {
    options.signal.throwIfAborted();
    if (!port.isClosed) throw withStderrTail(handshakeError(error, options), stderrTail);
    throw new SessionLostError('The connection was closed during the handshake', { sent: true, cause: error });
  } finally {
    options.signal.removeEventListener('abort', abort);
  }
}

async function negotiate(port: SdkTransportPort, options: OpenSessionOptions): Promise<Session> {
  options.signal.throwIfAborted();
  const modern = { pin: modernVersion };
  if (options.protocol === modernVersion) return connect(port, modern, options);
  if (options.protocol === 'auto' && options.lastEra === 'modern') {
    const session = await connectSoon(port, modern, options);
    if (session) return session;
  }
  try {
    return await connect(port, 'legacy', options);
  } catch (error) {
    if (!isRefusedForItsEra(error)) throw error;
    if (options.protocol === 'legacy') throw legacyOnlyError(error, options);
  }
  return connect(port, modern, options);
}

/**
 * `undefined` when the server answers with whatever else: it may have been exchanged for another. When it is silent, the
 * channel is given up: a late answer could be taken for one to what is asked next.
 */
async function connectSoon(
  port: SdkTransportPort,
  mode: VersionNegotiationMode,
  options: OpenSessionOptions,
): Promise<Session | undefined> {
  const timer = setTimeout(() => port.close(), silenceMs);
  try {
    return await connect(port, mode, options);
  } catch (error) {
    if (port.isClosed || options.signal.aborted) throw error;
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

async function connect(
  port: SdkTransportPort,
  mode: VersionNegotiationMode,
  options: OpenSessionOptions,
): Promise<Session> {
  const prepared = prepareClient(options, { mode });
  await prepared.client.connect(port.attach(), { signal: options.signal, timeout: noTimeoutMs });
  const session = new SdkSession(prepared, {
    ...options,
    lastHeardAt: () => port.lastHeardAt,
    lastByteAt: () => port.lastByteAt,
    openLane: (laneOptions) => port.openLane(laneOptions),
  });
  port.agreed(session.facts.protocolVersion);
  return session;
}
