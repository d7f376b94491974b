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

export interface WaitingRequest {
  pauseForClient(): void;
  /** Resolves when the request may continue; `undefined`: at once. */
  resumeAfterClient(): Promise<void> | undefined;
}

/** Reports the waits of a call: from its first open server request to the last response. */
export function pausingHandler(handler: CallHandler, call: WaitingRequest): PausingHandler {
  let open = 0;
  return {
    client: handler.client,
    owner: handler.owner,
    capabilities: handler.capabilities,
    onStreamPause: () => handler.onStreamPause?.(),
    answer: (question, context) => handler.answer(question, context),
    waits: () => {
      open += 1;
      if (open === 1) call.pauseForClient();
      return () => {
        open -= 1;
        return open === 0 ? call.resumeAfterClient() : undefined;
      };
    },
  };
}
