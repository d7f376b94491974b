import { isRecord } from '@x/internal/json';
import type { AuditEvent } from './audit-event.js';

/** Receives audit events. Must return quickly, because the response waits. */
export type AuditSink = (event: AuditEvent) => void;

/** Events that the sink did not accept. */
export interface AuditFailure {
  readonly lost: number;
  readonly cause: unknown;
}

export class AuditRecorder {
  readonly sink: AuditSink | undefined;
  readonly #onFailure: (failure: AuditFailure) => void;
  #calls = 0;
  #failure: AuditFailure | undefined;

  /** @param onFailure - Called at loss 1, 10, 100 and so on, because it may cause events itself. */
  constructor(sink: AuditSink | undefined, onFailure: (failure: AuditFailure) => void) {
    this.sink = sink;
    this.#onFailure = onFailure;
  }

  get failure(): AuditFailure | undefined {
    return this.#failure;
  }

  nextCall(): number {
    return ++this.#calls;
  }

  /**
   * @param make - May throw, because arguments may have getters.
   * @param further - Receives the event after the sink, unless that throws.
   */
  record(make: () => AuditEvent, further?: AuditSink): void {
    try {
      const event = make();
      for (const sink of [this.sink, further]) {
        const returned: unknown = sink?.(event);
        // An async function is assignable to the sink's type.
        if (isRecord(returned) && 'then' in returned) Promise.resolve(returned).catch((cause) => this.#fail(cause));
      }
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
