import { onAbort } from '@x/internal/async';
import type { LineChannel } from '../transport/message-channel.js';
import { discover, type HandshakeOptions, type Introduction, initialize } from './handshake.js';
import { handshakeError, isRefusedForItsEra, legacyOnlyError } from './handshake-error.js';
import type { OpenSessionOptions } from './open-session-options.js';
import { PeerParts } from './peer-parts.js';
import { PeerSession } from './peer-session.js';
import { modernVersion } from './protocol.js';
import { type Session, type SessionFacts, SessionLostError } from './session.js';
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
  channel: LineChannel,
  { onJunk, stderrTail = () => [], lastStderrAt, ...options }: StdioSessionOptions,
): Promise<Session> {
  const parts = new PeerParts(channel, { ...options, onJunk });
  const { peer } = parts;
  const ignoreSignal = onAbort(options.signal, () => peer.close());
  try {
    const facts = await negotiate(parts, options);
    if (!peer.isOpen) throw new Error('The channel ended with the handshake');
    return new PeerSession(parts, { ...options, facts, channel, lastHeardElsewhereAt: lastStderrAt });
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

async function negotiate(parts: PeerParts, options: OpenSessionOptions): Promise<SessionFacts> {
  const { peer, answers } = parts;
  const { signal, clientInfo, protocol, lastEra } = options;
  const introduction: Introduction = { clientInfo, capabilities: answers.capabilities };
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
 * `undefined` when the server answers with whatever else: it may have been exchanged for another. When it is silent, the
 * channel is given up: a late answer could be taken for one to what is asked next.
 */
async function discoverSoon(
  { peer }: PeerParts,
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
