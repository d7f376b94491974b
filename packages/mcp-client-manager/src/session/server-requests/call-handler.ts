import type { CallHandler } from '@x/internal/contracts';

export type { CallHandler } from '@x/internal/contracts';

/** Pauses the clock and releases the turn of its call while it responds. */
export interface PausingHandler extends CallHandler {
  /**
   * Starts a pause of the call. Called when the handler receives a request.
   * @returns Ends the pause. Its promise, if any, resolves when the call may continue.
   */
  waits?(): () => Promise<void> | undefined;
}
