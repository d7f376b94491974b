import type { Socket } from 'node:net';
import { newToken } from './protocol.js';

/** The method that turns a connection into a plain stream of bytes. */
export const streamMethod = '$/stream';

/** Streams that requests of a client expect: a connection of the same client becomes one by a ticket. */
export class ByteStreams {
  readonly #expected = new Map<string, (socket: Socket) => void>();

  /** @throws The signal's reason if it aborts before the stream is there. */
  expect(signal: AbortSignal): { readonly ticket: string; readonly stream: Promise<Socket> } {
    const ticket = newToken();
    const stream = new Promise<Socket>((resolve, reject) => {
      const abort = (): void => {
        this.#expected.delete(ticket);
        reject(signal.reason);
      };
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      this.#expected.set(ticket, (socket) => {
        signal.removeEventListener('abort', abort);
        resolve(socket);
      });
    });
    return { ticket, stream };
  }

  /** @returns Receives the connection; `undefined` for an unknown ticket. A ticket is valid once. */
  claim(ticket: unknown): ((socket: Socket) => void) | undefined {
    const receive = this.#expected.get(String(ticket));
    this.#expected.delete(String(ticket));
    return receive;
  }
}
