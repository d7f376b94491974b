import { unlessAborted } from '@x/internal/async';
import { ManagerError } from '../errors.js';
import type { InProcessServer } from '../spec.js';
import { InProcessChannel } from '../transport/in-process-channel.js';
import type { OpenSessionOptions } from './open-session-options.js';
import { openStdioSession } from './open-stdio-session.js';
import { type Session, SessionLostError } from './session.js';

export interface OpenInProcessSessionOptions extends OpenSessionOptions {
  /** Makes the server, or gives the one that there is. */
  readonly open: () => InProcessServer | Promise<InProcessServer>;
  readonly maxMessageBytes: number;
  readonly onJunk: (text: string) => void;
}

/** A server of this process, from the moment on in which it was made. */
export class InProcessLink {
  #server: InProcessServer | undefined;
  #channel: InProcessChannel | undefined;
  #isClosed = false;

  /**
   * Makes the server, links it and shakes hands with it as with any other.
   *
   * @throws {ManagerError} `handshake-refused`, with what the server threw as `cause`; `exited-early` when it closed the
   * link at once; `unsupported-protocol`.
   */
  async open({ open, maxMessageBytes, ...options }: OpenInProcessSessionOptions): Promise<Session> {
    const { server: name, signal } = options;
    const channel = new InProcessChannel({ maxMessageBytes });
    try {
      await unlessAborted(this.#connect(open, channel), signal);
    } catch (cause) {
      signal.throwIfAborted();
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `Server "${name}" of this process could not be connected: ${why}`;
      throw new ManagerError('handshake-refused', message, { server: name, cause });
    }
    try {
      return await openStdioSession(channel, options);
    } catch (error) {
      if (!(error instanceof SessionLostError)) throw error;
      const message = `Server "${name}" of this process closed the connection before the handshake was over.`;
      throw new ManagerError('exited-early', message, { server: name, cause: error });
    }
  }

  /** Ends the link and closes the server. Rejects with what the server throws. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#channel?.close();
    await this.#server?.close();
  }

  async #connect(open: OpenInProcessSessionOptions['open'], channel: InProcessChannel): Promise<void> {
    const server = await open();
    // Whoever stopped waiting for it cannot close it any more.
    if (this.#isClosed) return server.close();
    await channel.connect(server);
    this.#server = server;
    this.#channel = channel;
    if (this.#isClosed) await this.close();
  }
}
