import { onAbort } from '@x/internal/async';
import type { LineChannel } from '../transport/message-channel.js';
import { ConnectionServices, type OpenSessionOptions } from './connection-services.js';
import { discover, type HandshakeOptions, type Introduction, initialize } from './handshake/handshake.js';
import { handshakeError, isRefusedForItsEra, legacyOnlyError } from './handshake/handshake-error.js';
import { withStderrTail } from './peer/request-error.js';
import { PeerSession } from './peer-session.js';
import { modernVersion } from './protocol.js';
import { type Session, type SessionFacts, SessionLostError } from './session.js';

/** Time to respond to `server/discover`, which older servers may ignore. */
const silenceMs = 3_000;

export interface StdioSessionOptions extends OpenSessionOptions {
  readonly onJunk: (text: string) => void;
  readonly stderrTail?: (() => readonly string[]) | undefined;
  readonly lastStderrAt?: (() => number) | undefined;
}

/**
 * Performs the handshake. `auto` sends `initialize` first, which all servers of the 2024 and 2025 revisions accept. A
 * server of later revisions refuses it, and receives `server/discover` in the same process. A server that was modern
 * last time receives `server/discover` first.
 *
 * @throws {ManagerError} `handshake-refused` or `unsupported-protocol`.
 * @throws {SessionLostError} The channel ended first.
 */
export async function openStdioSession(
  channel: LineChannel,
  { onJunk, stderrTail = () => [], lastStderrAt, ...options }: StdioSessionOptions,
): Promise<Session> {
  const parts = new ConnectionServices(channel, { ...options, onJunk });
  const { peer } = parts;
  const ignoreSignal = onAbort(options.signal, () => peer.close());
  try {
    const facts = await negotiate(parts, options);
    if (!peer.isOpen) throw new Error('The channel ended with the handshake');
    return new PeerSession(parts, { ...options, facts, channel, lastStderrAt });
  } catch (error) {
    options.signal.throwIfAborted();
    if (!peer.isOpen)
      throw new SessionLostError('The connection was closed during the handshake', { sent: true, cause: error });
    peer.close();
    throw withStderrTail(handshakeError(error, options), stderrTail);
  } finally {
    ignoreSignal();
  }
}

async function negotiate(parts: ConnectionServices, options: OpenSessionOptions): Promise<SessionFacts> {
  const { peer, serverRequests } = parts;
  const { signal, clientInfo, protocol, lastEra } = options;
  const introduction: Introduction = { clientInfo, capabilities: serverRequests.capabilities };
  const how: HandshakeOptions = { signal, onAgreed: () => undefined };
  signal.throwIfAborted();
  if (protocol === modernVersion) return discover(peer, introduction, how);
  if (protocol === 'auto' && lastEra === 'modern') {
    const facts = await discoverSoon(parts, introduction, how);
    if (facts) return facts;
  }
  try {
    return await initialize(peer, introduction, how);
  } catch (error) {
    if (!isRefusedForItsEra(error)) throw error;
    if (protocol === 'legacy') throw legacyOnlyError(error, options);
  }
  return discover(peer, introduction, how);
}

/**
 * `undefined` on any other response: the server may have been replaced. Closes the channel after the timeout: a late
 * response could match a later request.
 */
async function discoverSoon(
  { peer }: ConnectionServices,
  introduction: Introduction,
  how: HandshakeOptions,
): Promise<SessionFacts | undefined> {
  const timer = setTimeout(() => peer.close(), silenceMs);
  try {
    return await discover(peer, introduction, how);
  } catch (error) {
    if (!peer.isOpen || how.signal.aborted) throw error;
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
