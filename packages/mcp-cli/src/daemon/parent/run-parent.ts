import type { ChildProcess } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ControlError, type ControlErrorData, controlErrorData } from '../../control/control-error.js';
import { protocolNumber } from '../connection/protocol.js';
import type { DaemonPaths } from '../locate-daemon.js';
import type { FromWorker, IdleExit, StartReport } from '../process-messages.js';
import { type DaemonPhase, readState } from '../state-file.js';
import type { ProcessIdentity } from '../system-process.js';
import type { DaemonLog } from './daemon-log.js';
import { afterCrash, type CrashHistory } from './restart-budget.js';
import { StatePublisher } from './state-publisher.js';
import { endLeftover, WorkerProcess } from './worker-process.js';

/** The worker's 20 s and time to exit. */
const drainMs = 23_000;

interface ParentOptions {
  readonly paths: DaemonPaths;
  readonly version: string;
  readonly self: ProcessIdentity;
  readonly userId: number | undefined;
  /** For the first worker; a later one starts those that ran before the crash. */
  readonly servers: readonly string[] | 'auto';
  /** Started before the daemon had its lock, to load its code meanwhile. Default: the parent starts one. */
  readonly firstWorker?: WorkerProcess | undefined;
  readonly startWorker: () => ChildProcess;
  readonly log: DaemonLog;
  /** Called once: when the daemon accepts commands or fails to start. */
  readonly report: (report: StartReport) => void;
}

export interface Parent {
  /** First call: drains. Second call: ends at once. */
  end(): void;
  /** Makes the worker read the config again. */
  reload(): void;
  /** Resolves when the worker and all servers are gone. */
  readonly finished: Promise<void>;
}

/** Supervises the worker: restarts it after a crash, within the restart budget. */
export function runParent(options: ParentOptions): Parent {
  const watch = new WorkerSupervisor(options);
  return { end: () => watch.end(), reload: () => watch.reload(), finished: watch.run() };
}

class WorkerSupervisor {
  readonly #options: ParentOptions;
  readonly #state: StatePublisher;
  /** Has not received `begin`. */
  #nextWorker: WorkerProcess | undefined;
  #worker: WorkerProcess | undefined;
  #servers: readonly string[] | 'auto';
  #trusted: readonly string[] | undefined;
  #idleExit: IdleExit | undefined;
  #history: CrashHistory = [];
  #readySince: number | undefined;
  #wasReady = false;
  #failure: ControlErrorData | undefined;
  #isEnding = false;
  #ends = 0;
  #wake: () => void = () => undefined;
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(options: ParentOptions) {
    const { paths, version, self, log, servers, firstWorker } = options;
    const { stateFile: path, logFile } = paths;
    this.#options = options;
    this.#servers = servers;
    this.#nextWorker = firstWorker;
    this.#state = new StatePublisher({
      path,
      facts: { format: 1, version, protocol: protocolNumber, parent: self, startedAt: Date.now(), logFile },
      onProblem: (error) => log.write(`the state file cannot be written: ${String(error)}`),
    });
  }

  end(): void {
    this.#ends += 1;
    this.#isEnding = true;
    this.#wake(); // ends the backoff or the parked wait
    if (this.#ends > 1) this.#kill('second request to end');
    else {
      this.#worker?.send({ type: 'drain' });
      this.#scheduleKill();
    }
  }

  reload(): void {
    this.#worker?.send({ type: 'reload' });
  }

  async run(): Promise<void> {
    const { paths, log, userId } = this.#options;
    try {
      await endLeftover(await readState(paths.stateFile, userId), log);
      while (!this.#isEnding) {
        await removeOldSockets(paths);
        if (!this.#wasReady) await this.#publish({ name: 'starting' });
        const { end, lastLines } = await this.#runWorker();
        if (this.#isEnding) break;
        log.write(`the worker ended: ${end}`);
        if (!this.#wasReady) {
          this.#failure ??= startFailure(`its worker ended with ${end}`, paths, lastLines);
          break;
        }
        await this.#recover(end);
      }
    } catch (error) {
      log.write(`the daemon cannot continue: ${String(error)}`);
      this.#failure ??= startFailure(String(error), paths);
    } finally {
      clearTimeout(this.#drainTimer);
      await this.#nextWorker?.discard();
      await this.#state.remove();
    }
    if (!this.#wasReady) {
      this.#options.report({
        status: 'failed',
        error: this.#failure ?? startFailure('it was requested to end', paths),
      });
    }
    log.write('left');
    await log.flush();
  }

  /** Waits for the next attempt; after too many crashes for the end of the daemon. */
  async #recover(end: string): Promise<void> {
    const { log } = this.#options;
    const now = performance.now();
    const verdict = afterCrash(this.#history, { now, readySince: this.#readySince, random: Math.random() });
    this.#history = verdict.history;
    this.#readySince = undefined;
    if (verdict.next === 'restart') {
      void this.#publish({ name: 'starting' });
      await this.#pause(verdict.delayMs);
      return;
    }
    const crashes = verdict.history.length;
    log.write(`the worker has crashed ${crashes} times and is not restarted`);
    void this.#publish({ name: 'parked', reason: `The worker has crashed ${crashes} times, last with: ${end}` });
    await this.#pause(undefined);
  }

  async #runWorker(): Promise<{ readonly end: string; readonly lastLines: readonly string[] }> {
    const { startWorker, log } = this.#options;
    const worker = this.#nextWorker ?? new WorkerProcess(startWorker());
    this.#nextWorker = undefined;
    worker.listen({
      onMessage: (message) => void this.#receive(message, worker.identity),
      onLine: (line) => log.write(line),
    });
    this.#worker = worker;
    worker.send({ type: 'begin', servers: this.#servers, trusted: this.#trusted, idleExit: this.#idleExit });
    if (this.#isEnding) worker.send({ type: this.#ends > 1 ? 'end' : 'drain' });
    const end = await worker.ended;
    this.#worker = undefined;
    return { end, lastLines: worker.lastLines };
  }

  async #receive(message: FromWorker, worker: ProcessIdentity | undefined): Promise<void> {
    switch (message.type) {
      case 'ready':
        if (!worker || this.#isEnding) return;
        this.#readySince = performance.now();
        try {
          await this.#publish({ name: 'ready', worker, socket: message.socket, token: message.token });
        } catch (error) {
          this.#failure = startFailure(`its state cannot be written: ${String(error)}`, this.#options.paths);
          this.end();
          return;
        }
        if (!this.#wasReady && !this.#isEnding) {
          this.#wasReady = true;
          this.#options.report({ status: 'ready' });
        }
        return;
      case 'failed':
        this.#failure = message.error;
        this.#options.log.write(`the worker cannot start: ${message.error.message}`);
        return;
      case 'trusted':
        this.#trusted = message.keys;
        return;
      case 'idle-exit':
        this.#idleExit = message.idleExit;
        return;
      case 'running':
        if (!this.#isEnding) this.#servers = message.servers;
        return;
      case 'leaving':
        this.#isEnding = true;
        this.#scheduleKill();
    }
  }

  #publish(phase: DaemonPhase): Promise<void> {
    return this.#state.publish(phase, { retry: this.#wasReady });
  }

  #scheduleKill(): void {
    this.#drainTimer ??= setTimeout(() => this.#kill('the worker has not ended in time'), drainMs);
  }

  #kill(reason: string): void {
    if (!this.#worker) return;
    this.#options.log.write(`ending at once: ${reason}`);
    this.#worker.kill();
  }

  /** `undefined`: until the end of the daemon. */
  #pause(ms: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const keepAlive = setInterval(() => undefined, 2 ** 30); // nothing else keeps a parked parent running
      const timer = ms === undefined ? undefined : setTimeout(() => this.#wake(), ms);
      this.#wake = () => {
        clearInterval(keepAlive);
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function startFailure(reason: string, { logFile }: DaemonPaths, details: readonly string[] = []): ControlErrorData {
  const error = new ControlError('daemon-start-failed', `The daemon could not start: ${reason}.`, {
    hint: `Its log is ${logFile}.`,
    details,
  });
  return controlErrorData(error);
}

/** Removes sockets of killed workers. Requires the lock, and that no worker runs. */
async function removeOldSockets({ socketDirectory, isSocketName }: DaemonPaths): Promise<void> {
  if (socketDirectory === undefined) return;
  const names = await readdir(socketDirectory).catch(() => []);
  await Promise.all(names.filter(isSocketName).map((name) => rm(join(socketDirectory, name), { force: true })));
}
