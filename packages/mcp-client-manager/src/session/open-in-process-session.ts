import { unlessAborted } from '@x/internal/async';
import { ManagerError } from '../errors.js';
import type { InProcessServer } from '../spec.js';
import { InProcessChannel } from '../transport/in-process-channel.js';
import type { OpenSessionOptions } from './connection-services.js';
import { openStdioSession } from './open-stdio-session.js';
import { type Session, SessionLostError } from './session.js';

export interface OpenInProcessSessionOptions extends OpenSessionOptions {
  readonly open: () => InProcessServer | Promise<InProcessServer>;
  readonly maxMessageBytes: number;
  readonly onJunk: (text: string) => void;
}

export class InProcessLink {
  #server: InProcessServer | undefined;
  #channel: InProcessChannel | undefined;
  #isClosed = false;

  /**
   * @throws {ManagerError} `handshake-refused` with the server's error as `cause`, `exited-early` if the server closed
   *   the connection, or `unsupported-protocol`.
   */
  async open({ open, maxMessageBytes, ...options }: OpenInProcessSessionOptions): Promise<Session> {
    const { server: name, signal } = options;
    const channel = new InProcessChannel({ maxMessageBytes });
    try {
      await unlessAborted(this.#connect(open, channel), signal);
    } catch (cause) {
      signal.throwIfAborted();
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `The in-process server "${name}" failed to connect: ${why}`;
      throw new ManagerError('handshake-refused', message, { server: name, cause });
    }
    try {
      return await openStdioSession(channel, options);
    } catch (error) {
      if (!(error instanceof SessionLostError)) throw error;
      const message = `The in-process server "${name}" closed the connection during the handshake.`;
      throw new ManagerError('exited-early', message, { server: name, cause: error });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#channel?.close();
    await this.#server?.close();
  }

  async #connect(open: OpenInProcessSessionOptions['open'], channel: InProcessChannel): Promise<void> {
    const server = await open();
    if (this.#isClosed) return server.close();
    await channel.connect(server);
    this.#server = server;
    this.#channel = channel;
    if (this.#isClosed) await this.close();
  }
}
