import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, serializeMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { QueueBounds } from '../queue-bounds.js';
import { StdioOutput } from './stdio-output.js';

/** How long a client that is at its end may take what was sent to it, in milliseconds. */
const GRACE_MS = 2_000;

/**
 * The protocol library's connection over stdio, but that what waits for a slow reader is bounded, and waits in one place:
 * the library would have each message listen to the stream by itself.
 */
export class StdioTransport extends StdioServerTransport {
  readonly #output: StdioOutput;
  #isOver = false;

  constructor(bounds: QueueBounds, stdin: Readable = process.stdin, stdout: Writable = process.stdout) {
    super(stdin, stdout);
    this.#output = new StdioOutput(stdout, bounds, (reason) => {
      this.onerror?.(reason);
      void this.close();
    });
  }

  /** Resolves at once: whoever sends is not to wait for the client, nor is the end of the connection. */
  override async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isOver) throw new Error('The connection is over');
    this.#output.write(serializeMessage(message));
  }

  override async close(): Promise<void> {
    this.#isOver = true;
    await super.close();
    await this.taken();
  }

  /** Ends what is written. Resolves once the client has taken it, and after a short grace at the latest. */
  taken(): Promise<void> {
    return this.#output.end(GRACE_MS);
  }
}
