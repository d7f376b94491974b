import type { ServerInput, ServerState } from './server-state.js';

interface StateLoopOptions {
  readonly initial: ServerState;
  readonly decide: (state: ServerState, input: ServerInput) => ServerState;
  /** Called with the new state in place. Inputs that it dispatches are processed afterwards. */
  readonly onChange: (previous: ServerState, input: ServerInput) => void;
}

/** Processes one input after the other, even if a listener dispatches another. */
export class StateLoop {
  readonly #options: StateLoopOptions;
  readonly #inputs: ServerInput[] = [];
  #isRunning = false;
  #state: ServerState;

  constructor(options: StateLoopOptions) {
    this.#options = options;
    this.#state = options.initial;
  }

  get state(): ServerState {
    return this.#state;
  }

  dispatch(input: ServerInput): void {
    this.#inputs.push(input);
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (let next = this.#inputs.shift(); next; next = this.#inputs.shift()) this.#process(next);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Resolves when the input is processed, even from within a listener. */
  async dispatchSettled(input: ServerInput): Promise<void> {
    this.dispatch(input);
    if (this.#isRunning) await undefined;
  }

  #process(input: ServerInput): void {
    const previous = this.#state;
    this.#state = this.#options.decide(previous, input);
    if (this.#state !== previous) this.#options.onChange(previous, input);
  }
}
