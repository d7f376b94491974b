import type { CallHost } from './call-host.js';

/** `given-up`: the server may not have read that yet, and may be at it. `answered`: it may ask right afterwards. */
export type HowItEnded = 'answered' | 'given-up';

/** Who is told when a call or request is over. */
export interface Leaving {
  left(entry: HostUnderWay, how: HowItEnded): void;
}

/** The host of one call or request, for as long as that is under way. */
export class HostUnderWay {
  readonly host: CallHost;
  /** When it began, among what begins and ends on the session. */
  readonly began: number;
  readonly #all: Leaving;
  #end: AbortController | undefined;
  #isOver = false;
  #questions = 0;

  constructor(host: CallHost, all: Leaving, began: number) {
    this.host = host;
    this.began = began;
    this.#all = all;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether a question of the server's own is being answered here. */
  get isAsked(): boolean {
    return this.#questions > 0;
  }

  /** Aborts when the call is over. Made when it is asked for first: mostly nobody does. */
  get ended(): AbortSignal {
    this.#end ??= new AbortController();
    if (this.#isOver) this.#end.abort();
    return this.#end.signal;
  }

  /** Counts as asked until `answer` has settled. */
  async duringQuestion<Answer>(answer: () => Promise<Answer>): Promise<Answer> {
    this.#questions += 1;
    try {
      return await answer();
    } finally {
      this.#questions -= 1;
    }
  }

  /** The task that this has become: the same host for longer. */
  asTask(): HostUnderWay {
    return new HostUnderWay(this.host, this.#all, this.began);
  }

  leave(how: HowItEnded): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#all.left(this, how);
    this.#end?.abort();
  }
}
