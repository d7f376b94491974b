import { within } from '@x/internal/async';
import type { HttpChannel, HttpChannelHooks } from './http-channel.js';
import type { PeerParts } from './peer-parts.js';
import type { SessionEnd } from './peer-session.js';
import type { Session } from './session.js';

/** How long requests that were sent may go on to wait for their answers when their session is lost, in milliseconds. */
const lastAnswersMs = 5_000;
/** Longest time for the question whether a server still answers, in milliseconds. */
const doubtMs = 5_000;

/**
 * The end of a session over HTTP: there is no process and no pipe that would end with the server. When the server is gone,
 * or has forgotten the session, no further request goes there; answers on their way still arrive.
 */
export class HttpSessionEnd implements SessionEnd {
  readonly lost: Promise<void>;
  readonly #channel: HttpChannel;
  readonly #parts: PeerParts;
  #isLost = false;
  #cause: Error | undefined;
  #lose: () => void = () => undefined;
  #checking: Promise<void> | undefined;

  constructor(channel: HttpChannel, parts: PeerParts) {
    this.#channel = channel;
    this.#parts = parts;
    this.lost = new Promise((resolve) => {
      this.#lose = resolve;
    });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  get cause(): Error | undefined {
    return this.#cause;
  }

  /** Begins to notice. */
  watch(session: Session, onAuthFailure: HttpChannelHooks['onAuthFailure']): void {
    this.#channel.watch({
      onLost: (cause) => {
        this.#cause = cause;
        this.#isLost = true;
        this.#lose();
      },
      onDoubt: () => {
        this.#checking ??= this.#check(session);
        return this.#checking;
      },
      onAuthFailure,
    });
  }

  async close(): Promise<void> {
    this.#parts.changes?.close(); // which would wait for ever
    if (this.#isLost) await within(this.#parts.peer.idle(), lastAnswersMs);
    await this.#channel.close();
  }

  async #check(session: Session): Promise<void> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), doubtMs);
    try {
      await session.checkAlive({ signal: deadline.signal });
    } catch {
      // If the server is gone, the channel has noticed; if it is slow, its health checks will.
    } finally {
      clearTimeout(timer);
      this.#checking = undefined;
    }
  }
}
