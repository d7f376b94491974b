import { callListener } from '@x/internal/events';
import type { Params } from './request-lane.js';
import type { ToolProgress } from './session.js';

/**
 * Who wants to know of the progress of which request. The SDK's own bookkeeping forgets a request as soon as its result
 * is read, and with it the progress that came in the same chunk just before; here it stays known until it has settled.
 */
export class ProgressListeners {
  readonly #listeners = new Map<number, (progress: ToolProgress) => void>();
  #last = 0;

  add(listener: (progress: ToolProgress) => void): { readonly token: number; remove(): void } {
    this.#last += 1;
    const token = this.#last;
    this.#listeners.set(token, listener);
    return { token, remove: () => void this.#listeners.delete(token) };
  }

  /** @param params - Of one `notifications/progress`. One for a request that is not waited for is nobody's. */
  tell({ progressToken, progress, total, message }: Params): void {
    const listener = this.#listeners.get(Number(progressToken)); // some servers send it back as text
    if (!listener || typeof progress !== 'number') return;
    callListener('An onProgress listener', () =>
      listener({
        progress,
        ...(typeof total === 'number' && { total }),
        ...(typeof message === 'string' && { message }),
      }),
    );
  }
}
