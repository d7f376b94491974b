import type { ServerInput, ServerState } from './server-state.js';

export interface StateLoopOptions {
  readonly initial: ServerState;
  readonly decide: (state: ServerState, input: ServerInput) => ServerState;
  /** Called after each change, with the new state in place. What it gives in turn waits until it is done. */
  readonly onChange: (previous: ServerState, input: ServerInput) => void;
}

/** The present state. Takes one input after the other, whoever gives it and from within whatever. */
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

  give(input: ServerInput): void {
    this.#inputs.push(input);
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (let next = this.#inputs.shift(); next; next = this.#inputs.shift()) this.#take(next);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Like `give`, and done when it resolves, also for a listener that asks while a change is being told. */
  async ask(input: ServerInput): Promise<void> {
    this.give(input);
    if (this.#isRunning) await undefined;
  }

  #take(input: ServerInput): void {
    const previous = this.#state;
    this.#state = this.#options.decide(previous, input);
    if (this.#state !== previous) this.#options.onChange(previous, input);
  }
}
