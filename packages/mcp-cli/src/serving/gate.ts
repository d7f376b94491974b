import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeListener } from '@x/mcp-gateway';
import { turnAway } from './turn-away.js';

/** Queues requests until a listener opens the gate. Rejects requests after the end. */
export class Gate {
  #waiting: [IncomingMessage, ServerResponse][] = [];
  #open: NodeListener | undefined;

  readonly listener: NodeListener = (request, response) => {
    if (this.#open === undefined) this.#waiting.push([request, response]);
    else this.#open(request, response);
  };

  open(listener: NodeListener): void {
    this.#open = listener;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const [request, response] of waiting) listener(request, response);
  }

  end(): void {
    this.open((_, response) => rejectAtEnd(response));
  }
}

/** Closes the connection, so that a retry opens a new one. */
function rejectAtEnd(response: ServerResponse): void {
  const problem = { status: 503, code: -32_000, message: 'The gateway is shutting down' };
  turnAway(response, problem, { connection: 'close', 'retry-after': '5' });
}
