import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, serializeMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { QueueBounds } from '../queue-bounds.js';
import { StdioOutput } from './stdio-output.js';

/** Time for a client to read the last data. */
const GRACE_MS = 2_000;

/** The SDK's stdio transport with bounds. The SDK would also add a listener to the stream for each message. */
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

  /** Resolves before the client has read the message. */
  override async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isOver) throw new Error('The connection is over');
    this.#output.write(serializeMessage(message));
  }

  override async close(): Promise<void> {
    this.#isOver = true;
    await super.close();
    await this.taken();
  }

  /** Ends the output. Resolves when the client has read it, or after a grace period. */
  taken(): Promise<void> {
    return this.#output.end(GRACE_MS);
  }
}
