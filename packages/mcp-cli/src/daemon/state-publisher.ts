import { rm } from 'node:fs/promises';
import { type DaemonPhase, type DaemonState, writeState } from './state-file.js';

/** Time between two attempts to write, in milliseconds. */
const retryMs = 1_000;

export interface StatePublisherOptions {
  readonly path: string;
  /** What is the same in every phase. */
  readonly facts: Omit<DaemonState, 'phase'>;
  /** Told once a phase when it cannot be written and is tried again. */
  readonly onProblem: (error: unknown) => void;
}

/** Writes down where a daemon is: one phase after the other, and never one that is over. */
export class StatePublisher {
  readonly #options: StatePublisherOptions;
  #phase: DaemonPhase | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(options: StatePublisherOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the phase is written, or over.
   *
   * @param options.retry - A disk that is full while the daemon serves hurts nobody: it is tried again. Without, the first
   * failure is thrown.
   */
  publish(phase: DaemonPhase, { retry }: { readonly retry: boolean }): Promise<void> {
    this.#phase = phase;
    const written = this.#last.then(() => this.#write(phase, retry));
    this.#last = written.catch(() => undefined); // told to whoever asked for it
    return written;
  }

  /** Takes the file away for good. */
  async remove(): Promise<void> {
    this.#phase = undefined;
    await this.#last;
    await rm(this.#options.path, { force: true }).catch(() => undefined);
  }

  async #write(phase: DaemonPhase, retry: boolean): Promise<void> {
    const { path, facts, onProblem } = this.#options;
    for (let failures = 0; this.#phase === phase; failures += 1) {
      try {
        return await writeState(path, { ...facts, phase });
      } catch (error) {
        if (!retry) throw error;
        if (failures === 0) onProblem(error);
        await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
      }
    }
  }
}
