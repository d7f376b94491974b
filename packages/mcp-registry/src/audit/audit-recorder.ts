import { isRecord } from '@x/internal/json';
import type { AuditEvent } from './audit-event.js';

/** Where audit events go. Called before the answer is given, so it should only take note and return. */
export type AuditSink = (event: AuditEvent) => void;

/** What the sink did not take. */
export interface AuditFailure {
  /** How many events. */
  readonly lost: number;
  /** What the sink threw the last time. */
  readonly cause: unknown;
}

/** Hands events to the app's sink. A sink that throws or rejects is counted and changes nothing else. */
export class AuditRecorder {
  readonly #sink: AuditSink;
  readonly #onFailure: (failure: AuditFailure) => void;
  #calls = 0;
  #failure: AuditFailure | undefined;

  /** @param onFailure - Told of the first loss, the tenth, the hundredth and so on: what it does may be recorded too. */
  constructor(sink: AuditSink, onFailure: (failure: AuditFailure) => void) {
    this.#sink = sink;
    this.#onFailure = onFailure;
  }

  get failure(): AuditFailure | undefined {
    return this.#failure;
  }

  nextCall(): number {
    return ++this.#calls;
  }

  /** @param make - What it throws counts as what the sink throws: arguments may have getters. */
  record(make: () => AuditEvent): void {
    try {
      const answer: unknown = this.#sink(make());
      // A sink is told by its type to give nothing, and an async function may stand there all the same.
      if (isRecord(answer) && 'then' in answer) Promise.resolve(answer).catch((cause) => this.#fail(cause));
    } catch (cause) {
      this.#fail(cause);
    }
  }

  #fail(cause: unknown): void {
    const lost = (this.#failure?.lost ?? 0) + 1;
    this.#failure = { lost, cause };
    if (Number.isInteger(Math.log10(lost))) this.#onFailure(this.#failure);
  }
}
