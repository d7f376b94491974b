import { isRecord } from '@x/internal/json';
import type { AuditEvent } from './audit-event.js';

/** Receives audit events. Called before the response, so it should only record and return. */
export type AuditSink = (event: AuditEvent) => void;

/** Events that the sink did not accept. */
export interface AuditFailure {
  /** Number of lost events. */
  readonly lost: number;
  /** The sink's last error. */
  readonly cause: unknown;
}

/** Passes events to the app's sink. A sink that throws or rejects is counted, with no other effect. */
export class AuditRecorder {
  readonly #sink: AuditSink;
  readonly #onFailure: (failure: AuditFailure) => void;
  #calls = 0;
  #failure: AuditFailure | undefined;

  /**
   * @param onFailure - Called at the first loss, the tenth, the hundredth and so on: its own actions may be recorded
   * too.
   */
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

  /** @param make - Its errors count as the sink's: arguments may have getters. */
  record(make: () => AuditEvent): void {
    try {
      const answer: unknown = this.#sink(make());
      // The sink's type returns nothing, but an async function is assignable to it.
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
