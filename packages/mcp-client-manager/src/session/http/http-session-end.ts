import { within } from '@x/internal/async';
import type { ConnectionServices } from '../connection-services.js';
import type { SessionEnd } from '../peer-session.js';
import type { Session } from '../session.js';
import type { HttpChannel, HttpChannelHooks } from './http-channel.js';

const lastAnswersMs = 5_000;
const doubtMs = 5_000;

/**
 * An HTTP session has no process and no pipe that would close. After its end no further requests go out; outstanding
 * responses may still arrive.
 */
export class HttpSessionEnd implements SessionEnd {
  readonly lost: Promise<void>;
  readonly #channel: HttpChannel;
  readonly #services: ConnectionServices;
  #isLost = false;
  #cause: Error | undefined;
  #lose: () => void = () => undefined;
  #checking: Promise<void> | undefined;

  constructor(channel: HttpChannel, parts: ConnectionServices) {
    this.#channel = channel;
    this.#services = parts;
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
    this.#services.changes?.close(); // its request never completes
    if (this.#isLost) await within(this.#services.peer.idle(), lastAnswersMs);
    await this.#channel.close();
  }

  async #check(session: Session): Promise<void> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), doubtMs);
    try {
      await session.checkAlive({ signal: deadline.signal });
    } catch {
      // The channel detects a server that is gone; health checks detect a slow one.
    } finally {
      clearTimeout(timer);
      this.#checking = undefined;
    }
  }
}
