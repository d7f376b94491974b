import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Counts the open requests of an HTTP server, without streams of notifications. Must be created before the listener that
 * responds.
 */
export class OpenRequests {
  #count = 0;
  #onIdle: (() => void) | undefined;

  constructor(server: Server) {
    server.prependListener('request', (request, response) => this.#watch(request, response));
  }

  /** Resolves when all requests have a response, or after `limitMs`. */
  async finished(limitMs: number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #watch(request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== 'POST' || request.headers['mcp-method'] === 'subscriptions/listen') return;
    this.#count += 1;
    response.once('close', () => {
      this.#count -= 1;
      if (this.#count === 0) this.#onIdle?.();
    });
  }
}
