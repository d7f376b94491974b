import type { Stack } from '../compose.js';
import { toControlError } from './to-control-error.js';

/** What every part of a local control does with what it is asked for. */
export interface ControlBase {
  /** Does the work and turns its failure into a `ControlError`, or into the reason of the signal when that has aborted. */
  run<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result>;
  /** Text that is told to somebody: known secrets are starred out. */
  redact(text: string): string;
}

export function controlBase(stack: Pick<Stack, 'redactor'>): ControlBase {
  return {
    run: async (signal, work) => {
      signal?.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        signal?.throwIfAborted();
        throw toControlError(error, stack.redactor);
      }
    },
    redact: (text) => stack.redactor.redact(text),
  };
}
