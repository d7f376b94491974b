import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { FromWorker, ToWorker } from '../process-messages.js';
import type { DaemonState } from '../state-file.js';
import { identify, isAlive, type ProcessIdentity, sendSignal } from '../system-process.js';
import type { DaemonLog } from './daemon-log.js';

/** Time for a worker to exit before it is killed, in milliseconds. */
const endMs = 1_000;
const maxLastLines = 10;
/** Node.js prints this code for a missing module or program. */
const isMissing = (line: string): boolean => line.includes('MODULE_NOT_FOUND');
const missing = 'a file of the program is missing, for example after an update';
/** Longest wait for the end of stderr after the exit, in milliseconds. */
const closeTimeoutMs = 500;

interface WorkerHooks {
  readonly onMessage: (message: FromWorker) => void;
  /** Called for each line of stderr. */
  readonly onLine: (line: string) => void;
}

/** One worker on the parent's side. */
export class WorkerProcess {
  /** `undefined`: it could not be started. */
  readonly identity: ProcessIdentity | undefined;
  /** Resolves to the reason of its end, after its last lines. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  /** Lines before `listen`. */
  readonly #unheard: string[] = [];
  #lastLines: readonly string[] = [];
  #onLine: WorkerHooks['onLine'] = (line) => this.#unheard.push(line);

  /** @param child - Does nothing but load its code before its first message. */
  constructor(child: ChildProcess) {
    this.#child = child;
    this.identity = child.pid === undefined ? undefined : identify(child.pid);
    this.ended = endOf(child).then((end) => (this.#lastLines.some(isMissing) ? `${end}; ${missing}` : end));
    if (!child.stderr) return;
    createInterface({ input: child.stderr }).on('line', (line) => {
      this.#lastLines = [...this.#lastLines.slice(1 - maxLastLines), line];
      this.#onLine(line);
    });
  }

  listen({ onMessage, onLine }: WorkerHooks): void {
    this.#child.on('message', (message) => onMessage(message as FromWorker));
    this.#onLine = onLine;
    for (const line of this.#unheard.splice(0)) onLine(line);
  }

  get lastLines(): readonly string[] {
    return this.#lastLines;
  }

  /** Does nothing after the worker has exited. */
  send(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Ends the worker at once. The guardian ends its remaining servers. */
  kill(): void {
    this.send({ type: 'end' });
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), endMs);
    void this.ended.then(() => clearTimeout(timer));
  }

  /** Ends a worker that has received no message, and resolves when it is gone. */
  async discard(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`the error "${error.message}"`));
    child.once('exit', (code, signal) => {
      const end = signal === null ? `exit code ${code}` : `signal ${signal}`;
      // A child may keep stderr open.
      const timer = setTimeout(() => resolve(end), closeTimeoutMs);
      child.once('close', () => {
        clearTimeout(timer);
        resolve(end);
      });
    });
  });
}

/** Time for the worker of a killed parent to stop its servers, in milliseconds. */
const leftoverMs = 10_000;
const pollMs = 25;

/**
 * Waits for the worker of an earlier daemon, which ends after its parent, and kills it after a timeout: two workers must
 * not run the same servers.
 */
export async function endLeftover(state: DaemonState | undefined, log: DaemonLog): Promise<void> {
  const worker = state && 'worker' in state.phase ? state.phase.worker : undefined;
  if (!worker) return;
  const deadline = performance.now() + leftoverMs;
  while (isAlive(worker) && performance.now() < deadline) await pause(pollMs);
  if (sendSignal(worker, 'SIGKILL')) log.write(`killed the worker ${worker.pid} of an earlier daemon`);
}
