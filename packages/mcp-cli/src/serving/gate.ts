import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeListener } from '@x/mcp-gateway';
import { turnAway } from './turn-away.js';

/** Holds requests until there is somebody to answer them, and turns away those that come after the end. */
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
    this.open((_, response) => ending(response));
  }
}

/** On a connection that the client has kept: a new one would find nobody. */
function ending(response: ServerResponse): void {
  const problem = { status: 503, code: -32_000, message: 'The gateway is about to end' };
  turnAway(response, problem, { connection: 'close', 'retry-after': '5' });
}
