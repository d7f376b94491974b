import { rm } from 'node:fs/promises';
import { sequence } from '@x/internal/async';
import { type DaemonPhase, type DaemonState, writeState } from '../state-file.js';

const retryMs = 1_000;

interface StatePublisherOptions {
  readonly path: string;
  /** Fields that are the same in every phase. */
  readonly facts: Omit<DaemonState, 'phase'>;
  /** Called once per phase before a failed write is retried. */
  readonly onProblem: (error: unknown) => void;
}

/** Writes the phases of a daemon in order, and never an outdated one. */
export class StatePublisher {
  readonly #options: StatePublisherOptions;
  #phase: DaemonPhase | undefined;
  readonly #inSequence = sequence();

  constructor(options: StatePublisherOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the phase is written or outdated.
   *
   * @param options.retry - Retries a failed write. Otherwise the first failure is thrown.
   */
  publish(phase: DaemonPhase, { retry }: { readonly retry: boolean }): Promise<void> {
    this.#phase = phase;
    return this.#inSequence(() => this.#write(phase, retry));
  }

  /** Removes the file for good. */
  async remove(): Promise<void> {
    this.#phase = undefined;
    await this.#inSequence(() => rm(this.#options.path, { force: true })).catch(() => undefined);
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
