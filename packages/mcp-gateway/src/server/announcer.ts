import type { McpServer } from '@modelcontextprotocol/server';
import type { HeldView } from './held-view.js';

/** Tells one connection's client that the listing has changed, for as long as the view is held. */
export class Announcer {
  readonly #onError: ((error: Error) => void) | undefined;
  #announce: (() => void) | undefined;

  constructor(view: HeldView, onError: ((error: Error) => void) | undefined) {
    this.#onError = onError;
    view.watch(() => this.#announce?.());
  }

  /** From now on through this server: a connection may get another one while the two sides agree on a revision. */
  follow(mcp: McpServer, era: 'legacy' | 'modern'): McpServer {
    const announce = () => {
      if (mcp.isConnected()) mcp.server.sendToolListChanged().catch((error) => this.#onError?.(error));
    };
    // Until a client of the earlier revisions has said that it is initialized, it must not be told anything.
    this.#announce = era === 'modern' ? announce : undefined;
    if (era === 'legacy') mcp.server.oninitialized = () => (this.#announce = announce);
    return mcp;
  }
}
