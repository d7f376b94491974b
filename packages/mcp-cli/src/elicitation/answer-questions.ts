import { sequence } from '@x/internal/async';
import { isRecord } from '@x/internal/json';
import type { Io } from '../command.js';
import type { HandleServerRequest } from '../control/control.js';
import type { ElicitationRequest } from './command-client.js';

/** Answers the questions of one request at the terminal. */
export interface Questions {
  readonly onServerRequest: HandleServerRequest;
  /** Resolves when all that is shown is answered or withdrawn, so that it stands before the outcome. */
  settled(): Promise<unknown>;
}

/**
 * Questions are asked one at a time.
 *
 * @param hide - Hides what would be written over a question until it is disposed. Default: nothing.
 */
export function answerQuestions(io: Io, { hide }: { readonly hide?: () => Disposable } = {}): Questions {
  const inTurn = sequence();
  const asked = new Set<Promise<unknown>>();
  return {
    onServerRequest: (question, { signal }) => {
      const answered = inTurn(async () => {
        using _hidden = hide?.();
        return await answer(question, { ...io, signal });
      });
      asked.add(answered);
      const forget = (): void => void asked.delete(answered);
      answered.then(forget, forget);
      return answered;
    },
    settled: () => Promise.allSettled(asked),
  };
}

/** The code of a question loads with it. */
async function answer(question: unknown, io: Io): Promise<object> {
  if (isRecord(question) && String(question.method).startsWith('elicitation/')) {
    const { answerElicitation } = await import('./answer-elicitation.js');
    return await answerElicitation(question as unknown as ElicitationRequest, io);
  }
  const { approveHere } = await import('../approvals/approve-here.js');
  return await approveHere(question, io);
}
