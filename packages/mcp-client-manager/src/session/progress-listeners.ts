import type { Client } from '@modelcontextprotocol/client';
import type { ToolProgress } from './session.js';

/**
 * Who wants to know of the progress of which call. The SDK's own bookkeeping forgets a call as soon as its result is
 * read, and with it the progress that came in the same chunk just before; here a call stays known until it has settled.
 */
export class ProgressListeners {
  readonly #listeners = new Map<string | number, (progress: ToolProgress) => void>();
  #last = 0;

  constructor(client: Client) {
    client.setNotificationHandler('notifications/progress', ({ params: { progressToken, ...progress } }) => {
      this.#tell(progressToken, progress);
    });
  }

  add(listener: (progress: ToolProgress) => void): { readonly token: number; remove(): void } {
    this.#last += 1;
    const token = this.#last;
    this.#listeners.set(token, listener);
    return { token, remove: () => void this.#listeners.delete(token) };
  }

  #tell(token: string | number, progress: ToolProgress): void {
    try {
      this.#listeners.get(token)?.(progress);
    } catch (error) {
      process.emitWarning(`An onProgress listener threw: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
}
