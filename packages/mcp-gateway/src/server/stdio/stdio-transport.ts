import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, serializeMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { QueueBounds } from '../queue-bounds.js';
import { StdioOutput } from './stdio-output.js';

/** Grace period for a client at its end to read sent data, in milliseconds. */
const GRACE_MS = 2_000;

/**
 * The protocol library's connection over stdio, with bounded pending data in one place: the library would add a
 * listener to the stream for each message.
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

  /** Resolves at once: senders do not wait for the client, nor does the end of the connection. */
  override async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isOver) throw new Error('The connection is over');
    this.#output.write(serializeMessage(message));
  }

  override async close(): Promise<void> {
    this.#isOver = true;
    await super.close();
    await this.taken();
  }

  /** Ends the output. Resolves once the client has read it, or after a short grace period. */
  taken(): Promise<void> {
    return this.#output.end(GRACE_MS);
  }
}
