import type { ToolSourceState } from '@x/internal/contracts';
import { FleetError } from '../errors.js';
import type { FleetSource } from '../source.js';

export interface HeldSourceOptions {
  readonly source: FleetSource;
  onProblem(message: string, error?: unknown): void;
}

const AT_REST: ReadonlySet<ToolSourceState | undefined> = new Set<ToolSourceState>([
  'stopped',
  'stopping',
  'unreachable',
]);
const AT_WORK: ReadonlySet<ToolSourceState | undefined> = new Set<ToolSourceState>(['starting', 'running', 'degraded']);

/**
 * Singleton source under control of the fleet: started on its holder, stopped on other nodes, even if other code starts
 * it.
 */
export class HeldSource {
  readonly #options: HeldSourceOptions;
  #isHeld = false;
  #isKnownToRun = false;
  #stopping: Promise<void> | undefined;
  #isEnded = false;

  constructor(options: HeldSourceOptions) {
    this.#options = options;
    // The holder is not decided yet.
    if (!AT_REST.has(options.source.state)) this.#stop();
  }

  /** Call when this node becomes or stops being the holder. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (this.#stopping !== undefined) return;
    if (isHeld) this.#start();
    else this.#stop();
  }

  look(): void {
    if (this.#isHeld || this.#isEnded || this.#stopping !== undefined) return;
    const wasKnown = this.#isKnownToRun;
    this.#isKnownToRun = AT_WORK.has(this.#options.source.state);
    if (!this.#isKnownToRun || wasKnown) return;
    this.#tell('was started here, though the fleet runs it once and not on this node; it is stopped');
    this.#stop();
  }

  /** Restarts a source that stopped, for example while idle, before a call. The call reports failures. */
  wake(): void {
    const { source } = this.#options;
    if (!this.#isHeld || this.#stopping !== undefined || !AT_REST.has(source.state)) return;
    begin(source).catch(() => undefined);
  }

  /**
   * Ends the control, after a stop on the holder.
   *
   * @throws {FleetError} `timed-out`; or errors of the source.
   */
  async end(): Promise<void> {
    this.#isEnded = true;
    if (this.#isHeld) await (this.#stopping ?? stopSource(this.#options.source));
    else await this.#stopping?.catch(() => undefined);
  }

  #start(): void {
    begin(this.#options.source).catch((error: unknown) => {
      // A stop during the start is not a failure.
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

/** Turns synchronous errors into rejections. */
async function begin(source: FleetSource): Promise<void> {
  await source.start?.();
}

/** Milliseconds; exceeds the longest configurable shutdown of a server. */
const STOP_TIMEOUT_MS = 60_000;

/**
 * Stops a source.
 *
 * @throws {FleetError} `timed-out`; or errors of the source.
 */
export async function stopSource(source: FleetSource): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const message = `"${source.name}" did not stop within ${STOP_TIMEOUT_MS} milliseconds`;
    timer = setTimeout(() => reject(new FleetError('timed-out', message, { server: source.name })), STOP_TIMEOUT_MS);
  });
  try {
    await Promise.race([source.stop?.(), late]);
  } finally {
    clearTimeout(timer);
  }
}
