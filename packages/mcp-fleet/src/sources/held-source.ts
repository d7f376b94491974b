import type { ToolSourceState } from '@x/internal/contracts';
import type { FleetSource } from '../source.js';
import { stopSource } from './stop-source.js';

export interface HeldSourceOptions {
  readonly source: FleetSource;
  /** It does not do as the fleet wants, or somebody else has started it. */
  onProblem(message: string, error?: unknown): void;
}

const AT_REST: ReadonlySet<ToolSourceState | undefined> = new Set<ToolSourceState>([
  'stopped',
  'stopping',
  'unreachable',
]);
const AT_WORK: ReadonlySet<ToolSourceState | undefined> = new Set<ToolSourceState>(['starting', 'running', 'degraded']);

/**
 * A source of which the fleet runs one. From when it is offered the fleet alone starts it, where it is held, and stops it
 * where it is not: a source that runs by then, or that somebody starts later, too.
 */
export class HeldSource {
  readonly #options: HeldSourceOptions;
  #isHeld = false;
  /** Whether it has been seen to run where it should not, and is not to be stopped for that once more. */
  #isKnownToRun = false;
  #stopping: Promise<void> | undefined;
  #isEnded = false;

  constructor(options: HeldSourceOptions) {
    this.#options = options;
    // Whether it may run here is not decided yet.
    if (!AT_REST.has(options.source.state)) this.#stop();
  }

  /** To be called when this node may run it from now on, or may not any more. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (this.#stopping !== undefined) return; // what is to be done is looked at when that is through
    if (isHeld) this.#start();
    else this.#stop();
  }

  /** To be called when the source announces that something about it has changed. */
  look(): void {
    if (this.#isHeld || this.#isEnded || this.#stopping !== undefined) return;
    const wasKnown = this.#isKnownToRun;
    this.#isKnownToRun = AT_WORK.has(this.#options.source.state);
    if (!this.#isKnownToRun || wasKnown) return;
    this.#tell('was started here, though the fleet runs it once and not on this node; it is stopped');
    this.#stop();
  }

  /** To be called before a call: starts what has ended since, such as for not being used. The call tells what fails then. */
  wake(): void {
    const { source } = this.#options;
    if (!this.#isHeld || this.#stopping !== undefined || !AT_REST.has(source.state)) return;
    begin(source).catch(() => undefined);
  }

  /**
   * Leaves it to itself from now on, stopped if it was held.
   *
   * @throws {FleetError} `timed-out`; or what the source throws.
   */
  async end(): Promise<void> {
    this.#isEnded = true;
    if (this.#isHeld) await (this.#stopping ?? stopSource(this.#options.source));
    else await this.#stopping?.catch(() => undefined); // told already
  }

  #start(): void {
    begin(this.#options.source).catch((error: unknown) => {
      // What was stopped meanwhile was not to start.
      if (this.#isHeld && !this.#isEnded) this.#tell('could not be started, and this node is the one to run it', error);
    });
  }

  #stop(): void {
    const { source } = this.#options;
    const failed = 'could not be stopped, and another node may run it by now';
    this.#stopping = stopSource(source);
    void this.#stopping
      .then(
        () => {
          if (!this.#isHeld && AT_WORK.has(source.state)) this.#tell(failed);
        },
        (error: unknown) => this.#tell(failed, error),
      )
      .then(() => {
        this.#stopping = undefined;
        this.#isKnownToRun = AT_WORK.has(source.state);
        if (this.#isHeld && !this.#isEnded) this.#start();
      });
  }

  #tell(what: string, error?: unknown): void {
    this.#options.onProblem(`${JSON.stringify(this.#options.source.name)} ${what}`, error);
  }
}

/** Also for a source that throws at once. */
async function begin(source: FleetSource): Promise<void> {
  await source.start?.();
}
