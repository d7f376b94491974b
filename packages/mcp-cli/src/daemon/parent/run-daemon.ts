import type { ChildProcess } from 'node:child_process';
import { messageOf } from '@x/internal/errors';
import { ControlError, controlErrorData, isControlError } from '../../control/control-error.js';
import { acquireLock, type LockOutcome } from '../instance-lock.js';
import { createPlace, placeOf } from '../locate-daemon.js';
import { needsDirectory } from '../private-directory.js';
import { type DaemonArguments, daemonArguments, type StartReport } from '../process-messages.js';
import { ownIdentity } from '../system-process.js';
import { type DaemonLog, openDaemonLog } from './daemon-log.js';
import { type Parent, runParent } from './run-parent.js';
import { WorkerProcess } from './worker-process.js';

interface RunDaemonOptions {
  readonly arguments: DaemonArguments;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly servers: readonly string[] | 'auto';
  /** @param words - Last arguments of the worker's command line. */
  readonly startWorker: (words: readonly string[]) => ChildProcess;
  readonly report: (report: StartReport) => void;
  readonly onLogLine?: ((line: string) => void) | undefined;
}

/** Makes this process the daemon of a config, unless another one is. */
export function runDaemon(options: RunDaemonOptions): Parent {
  let parent: Parent | undefined;
  let ends = 0;
  const finished = runLocked(options, (started) => {
    parent = started;
    for (let end = 0; end < ends; end += 1) started.end();
  });
  return {
    end: () => {
      ends += 1;
      parent?.end();
    },
    reload: () => parent?.reload(),
    finished,
  };
}

async function runLocked(
  { arguments: words, version, env, servers, startWorker, report, onLogLine }: RunDaemonOptions,
  onParent: (parent: Parent) => void,
): Promise<void> {
  const place = placeOf(words.id, { env, stateDirectory: words.stateDirectory });
  const self = ownIdentity();
  const startOne = (): ChildProcess => startWorker([...daemonArguments(words)]);
  const firstWorker = startEarly(startOne);
  let lock: LockOutcome;
  try {
    await createPlace(place);
    lock = await acquireLock(place.paths.directory, self);
  } catch (error) {
    await firstWorker?.discard();
    report({ status: 'failed', error: controlErrorData(startError(error, place.paths.directory)) });
    return;
  }
  if (lock.status === 'held') {
    await firstWorker?.discard();
    report({ status: 'held' });
    return;
  }
  try {
    const log = withLineListener(openDaemonLog(place.paths.logFile), onLogLine);
    log.write(`mcpx ${version} starts, process ${self.pid}`);
    const parent = runParent({
      ...place,
      version,
      self,
      servers,
      log,
      report,
      firstWorker,
      startWorker: startOne,
    });
    onParent(parent);
    await parent.finished;
  } finally {
    await lock.release();
  }
}

function startEarly(startWorker: () => ChildProcess): WorkerProcess | undefined {
  try {
    return new WorkerProcess(startWorker());
  } catch {
    return undefined; // the parent tries again with the lock, and reports the reason
  }
}

function startError(error: unknown, directory: string): ControlError {
  if (isControlError(error)) return error;
  const reason = messageOf(error);
  return new ControlError('daemon-start-failed', `The daemon could not start: ${reason}.`, {
    hint: needsDirectory(directory),
    cause: error,
  });
}

function withLineListener(log: DaemonLog, onLine: ((line: string) => void) | undefined): DaemonLog {
  if (!onLine) return log;
  return {
    flush: () => log.flush(),
    write: (line) => {
      onLine(line);
      log.write(line);
    },
  };
}
