// The daemon's second process. It owns the servers and is restarted after a crash.
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { newToken } from './daemon/connection/protocol.js';
import { placeOf } from './daemon/locate-daemon.js';
import { type FromWorker, readDaemonArguments, type ToWorker } from './daemon/process-messages.js';
import { startWorker, type Worker } from './daemon/run-worker.js';
import { membershipFile } from './fleet/membership.js';
import { systemKeyStore } from './signing-in/key-store.js';

process.umask(0o077);
process.title = 'mcpx worker';
const { id, cwd, config, stateDirectory, idleExitMs, metrics } = readDaemonArguments(process.argv.slice(2));
const { paths } = placeOf(id, { env: process.env, stateDirectory });
let worker: Worker | undefined;
let isDraining = false;

// The parent handles these signals and sends a message.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('SIGTERM', () => receive({ type: 'drain' }));
process.on('message', (message) => receive(message as ToWorker));
// Without the parent nothing restarts this process, so it drains, or ends if it was draining.
process.on('disconnect', () => receive({ type: isDraining ? 'end' : 'drain' }));
process.on('warning', (warning) => log(`warning: ${warning.message}`));
process.on('uncaughtException', (error) => {
  log(`crashed: ${inspect(error)}`);
  process.exit(70);
});

function receive(message: ToWorker): void {
  if (message.type === 'end') process.exit(0); // the exit hook of the client manager kills remaining processes
  if (message.type !== 'begin') {
    isDraining ||= message.type === 'drain';
    if (worker) worker.receive(message);
    else if (isDraining) process.exit(0);
    return;
  }
  worker ??= startWorker({
    config,
    io: { cwd, env: process.env, stateDirectory, keyStore: async () => systemKeyStore() },
    socket: paths.socketPath(newToken().slice(0, 32)),
    servers: message.servers,
    trusted: message.trusted,
    idleExitMs: message.idleExit === undefined ? idleExitMs : message.idleExit.ms,
    metrics,
    membershipFile: membershipFile(stateDirectory, id),
    pageDirectory: fileURLToPath(new URL('./dashboard/', import.meta.url)),
    facts: {
      pid: process.pid,
      parentPid: process.ppid,
      logFile: paths.logFile,
      memoryBytes: () => process.memoryUsage.rss(),
    },
    send,
    log,
  });
  worker.finished.then(
    () => process.exit(0),
    (error: unknown) => {
      log(`crashed: ${inspect(error)}`);
      process.exit(70);
    },
  );
}

function send(message: FromWorker): void {
  if (process.connected) process.send?.(message, () => undefined);
}

/** Sends lines to the parent, which writes the log. Only the first of them may be read as an event. */
function log(line: string): void {
  process.stderr.write(`${(worker ? worker.redact(line) : line).replaceAll('\n', '\n  ')}\n`);
}
