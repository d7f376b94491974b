import { callListener } from '../events.js';

/** Keeps failures of OpenTelemetry from requests. The first becomes a process warning. */
export class Guard {
  #hasWarned = false;

  /** @returns `undefined` after a failure. */
  attempt<Value>(work: () => Value): Value | undefined {
    try {
      return work();
    } catch (error) {
      if (!this.#hasWarned) callListener('OpenTelemetry', () => rethrow(error));
      this.#hasWarned = true;
      return undefined;
    }
  }

  /** Runs `work` once, even if `around` fails. Returns or throws as `work` does. */
  around<Value>(work: () => Value, around: (work: () => void) => void): Value {
    let outcome: (() => Value) | undefined;
    this.attempt(() =>
      around(() => {
        try {
          const value = work();
          outcome = () => value;
        } catch (error) {
          outcome = () => rethrow(error);
        }
      }),
    );
    return (outcome ?? work)();
  }
}

function rethrow(error: unknown): never {
  throw error;
}
