import type { ServerResponse } from 'node:http';
import type { Link } from './fake-conversation.js';

/** Response to one POST: a JSON body, or an event stream if messages precede the response. */
export class HttpReply implements Link {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  send(message: object): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    const isAnswer = 'result' in message || 'error' in message;
    if (isAnswer && !this.#response.headersSent) {
      this.#response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
      return;
    }
    beginEvents(this.#response);
    writeEvent(this.#response, message);
    if (isAnswer) this.#response.end();
  }

  refuse(status: number): void {
    this.#response.writeHead(status).end();
  }
}

/** For messages that belong to no request; lost without an open stream. */
export class HttpStreams implements Link {
  readonly #responses = new Set<ServerResponse>();

  open(response: ServerResponse): void {
    this.#responses.add(response);
    response.once('close', () => this.#responses.delete(response));
    beginEvents(response);
  }

  send(message: object): void {
    const [response] = this.#responses;
    if (response) writeEvent(response, message);
  }
}

function beginEvents(response: ServerResponse): void {
  if (response.headersSent) return;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
}

function writeEvent(response: ServerResponse, message: object): void {
  response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}
