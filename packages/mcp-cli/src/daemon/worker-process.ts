import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { identify, type ProcessIdentity } from './system-process.js';
import type { FromWorker, ToWorker } from './worker-messages.js';

/** How long a worker may take to leave at once before it is killed, in milliseconds. */
const endMs = 1_000;
const maxLastLines = 10;
/** Node says so of a module, be it the program itself. */
const isMissing = (line: string): boolean => line.includes('MODULE_NOT_FOUND');
const missing = 'a part of the program is not there any more, as after an update';
/** How long the end of a worker's stderr is waited for when it is gone, in milliseconds. */
const lastWordsMs = 500;

export interface WorkerHooks {
  readonly onMessage: (message: FromWorker) => void;
  /** Called for each line that it writes. */
  readonly onLine: (line: string) => void;
}

/** One worker, as its parent deals with it. */
export class WorkerProcess {
  /** `undefined`: it could not be started. */
  readonly identity: ProcessIdentity | undefined;
  /** How it ended, for people; after its last words. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  #lastLines: readonly string[] = [];

  constructor(child: ChildProcess, { onMessage, onLine }: WorkerHooks) {
    this.#child = child;
    this.identity = child.pid === undefined ? undefined : identify(child.pid);
    this.ended = endOf(child).then((end) => (this.#lastLines.some(isMissing) ? `${end}; ${missing}` : end));
    child.on('message', (message) => onMessage(message as FromWorker));
    if (!child.stderr) return;
    createInterface({ input: child.stderr }).on('line', (line) => {
      this.#lastLines = [...this.#lastLines.slice(1 - maxLastLines), line];
      onLine(line);
    });
  }

  /** What it said last. */
  get lastLines(): readonly string[] {
    return this.#lastLines;
  }

  /** One that is gone is told nothing. */
  tell(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Ends it at once, in whatever state it is. What it leaves of its servers is ended by their guardian. */
  kill(): void {
    this.tell({ type: 'end' });
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), endMs);
    void this.ended.then(() => clearTimeout(timer));
  }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`it could not be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      const end = signal === null ? `exit code ${code}` : `signal ${signal}`;
      // Unless something that it started has its last words in its hands.
      const timer = setTimeout(() => resolve(end), lastWordsMs);
      child.once('close', () => {
        clearTimeout(timer);
        resolve(end);
      });
    });
  });
}
