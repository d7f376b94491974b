// The daemon's second process. It holds the servers, and is started anew when it crashes.
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { readDaemonArguments } from './daemon/daemon-arguments.js';
import { newToken } from './daemon/handshake.js';
import { placeOf } from './daemon/locate-daemon.js';
import { startWorker, type Worker } from './daemon/run-worker.js';
import type { FromWorker, ToWorker } from './daemon/worker-messages.js';
import { membershipFile } from './fleet/membership-file.js';
import { systemKeyStore } from './signing-in/key-store.js';

process.umask(0o077);
process.title = 'mcpx worker';
const { id, cwd, config, stateDirectory, idleExitMs } = readDaemonArguments(process.argv.slice(2));
const { paths } = placeOf(id, { env: process.env, stateDirectory });
let worker: Worker | undefined;
let isDraining = false;

// The parent decides what a signal means, and says so.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('SIGTERM', () => take({ type: 'drain' }));
process.on('message', (message) => take(message as ToWorker));
// The parent is gone: nobody would start this again or answer for it, or wait any longer for it to drain.
process.on('disconnect', () => take({ type: isDraining ? 'end' : 'drain' }));
process.on('warning', (warning) => log(`warning: ${warning.message}`));
process.on('uncaughtException', (error) => {
  log(`crashed: ${inspect(error)}`);
  process.exit(70);
});

function take(message: ToWorker): void {
  if (message.type === 'end') process.exit(0); // what still runs is killed in the exit hook of the client manager
  if (message.type !== 'begin') {
    isDraining ||= message.type === 'drain';
    if (worker) worker.take(message);
    else if (isDraining) process.exit(0);
    return;
  }
  worker ??= startWorker({
    config,
    io: { cwd, env: process.env, stateDirectory, keyStore: async () => systemKeyStore() },
    socket: paths.socketPath(newToken().slice(0, 32)),
    servers: message.servers,
    trusted: message.trusted,
    idleExitMs,
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

/** To the parent, which writes the log. */
function log(line: string): void {
  process.stderr.write(`${worker ? worker.redact(line) : line}\n`);
}
