import type { ToolSourceState } from '@x/internal/contracts';
import { FleetError } from '../errors.js';
import type { FleetSource } from '../source.js';

interface SingletonSourceOptions {
  readonly source: FleetSource;
  onProblem(message: string, error?: unknown): void;
}

const INACTIVE: ReadonlySet<ToolSourceState | undefined> = new Set<ToolSourceState>([
  'stopped',
  'stopping',
  'unreachable',
]);
const ACTIVE: ReadonlySet<ToolSourceState | undefined> = new Set<ToolSourceState>(['starting', 'running', 'degraded']);

/**
 * Singleton source under control of the fleet: started on its holder, stopped on other nodes, even if other code starts
 * it.
 */
export class SingletonSource {
  readonly #options: SingletonSourceOptions;
  #isHolder = false;
  #isKnownToRun = false;
  #stopping: Promise<void> | undefined;
  #isEnded = false;

  constructor(options: SingletonSourceOptions) {
    this.#options = options;
    // The holder is not decided yet.
    if (!INACTIVE.has(options.source.state)) this.#stop();
  }

  /** Starts or stops the source. Call when this node becomes or stops being the holder. */
  setHolder(isHolder: boolean): void {
    this.#isHolder = isHolder;
    if (this.#stopping !== undefined) return;
    if (isHolder) this.#start();
    else this.#stop();
  }

  checkStopped(): void {
    if (this.#isHolder || this.#isEnded || this.#stopping !== undefined) return;
    const wasKnown = this.#isKnownToRun;
    this.#isKnownToRun = ACTIVE.has(this.#options.source.state);
    if (!this.#isKnownToRun || wasKnown) return;
    this.#report('was started here, though the fleet runs it once and not on this node; it is stopped');
    this.#stop();
  }

  /** Restarts a source that stopped, for example while idle, before a call. The call reports failures. */
  ensureStarted(): void {
    const { source } = this.#options;
    if (!this.#isHolder || this.#stopping !== undefined || !INACTIVE.has(source.state)) return;
    begin(source).catch(() => undefined);
  }

  /**
   * Ends the control, after a stop on the holder.
   *
   * @throws {FleetError} `timed-out`; or errors of the source.
   */
  async end(): Promise<void> {
    this.#isEnded = true;
    if (this.#isHolder) await (this.#stopping ?? stopSource(this.#options.source));
    else await this.#stopping?.catch(() => undefined);
  }

  #start(): void {
    begin(this.#options.source).catch((error: unknown) => {
      // A stop during the start is not a failure.
      if (this.#isHolder && !this.#isEnded)
        this.#report('could not be started, although this node has to run it', error);
    });
  }

  #stop(): void {
    const { source } = this.#options;
    const failed = 'could not be stopped, and another node may run it by now';
    this.#stopping = stopSource(source);
    void this.#stopping
      .then(
        () => {
          if (!this.#isHolder && ACTIVE.has(source.state)) this.#report(failed);
        },
        (error: unknown) => this.#report(failed, error),
      )
      .then(() => {
        this.#stopping = undefined;
        this.#isKnownToRun = ACTIVE.has(source.state);
        if (this.#isHolder && !this.#isEnded) this.#start();
      });
  }

  #report(what: string, error?: unknown): void {
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
async function stopSource(source: FleetSource): Promise<void> {
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
