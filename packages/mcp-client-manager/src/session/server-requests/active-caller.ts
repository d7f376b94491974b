import type { CallHandler } from './call-handler.js';

/** `abandoned`: the server may still work on the request. `answered`: a server request may still follow at once. */
export type CallEnd = 'answered' | 'abandoned';

export interface EndListener {
  onEnded(entry: ActiveCaller, how: CallEnd): void;
}

export class ActiveCaller {
  readonly handler: CallHandler;
  /** Position in the order of begins and ends on the session. */
  readonly began: number;
  readonly #all: EndListener;
  #end: AbortController | undefined;
  #isOver = false;
  #openRequests = 0;

  constructor(handler: CallHandler, all: EndListener, began: number) {
    this.handler = handler;
    this.began = began;
    this.#all = all;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isAnswering(): boolean {
    return this.#openRequests > 0;
  }

  /** Created on first use: most calls cause no server requests. */
  get ended(): AbortSignal {
    this.#end ??= new AbortController();
    if (this.#isOver) this.#end.abort();
    return this.#end.signal;
  }

  async whileAnswering<Answer>(answer: () => Promise<Answer>): Promise<Answer> {
    this.#openRequests += 1;
    try {
      return await answer();
    } finally {
      this.#openRequests -= 1;
    }
  }

  /** The task that the call became outlives it. */
  asTask(): ActiveCaller {
    return new ActiveCaller(this.handler, this.#all, this.began);
  }

  end(how: CallEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#all.onEnded(this, how);
    this.#end?.abort();
  }
}
