// The daemon's first process. It holds the lock, supervises the worker and loads little code.
import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };
import { runDaemon } from './daemon/parent/run-daemon.js';
import { readDaemonArguments, type StartReport } from './daemon/process-messages.js';

process.umask(0o077);
process.title = 'mcpx daemon';
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const worker = fileURLToPath(new URL(`./daemon-worker.${extension}`, import.meta.url));
const daemon = runDaemon({
  arguments: readDaemonArguments(process.argv.slice(2)),
  version: packageJson.version,
  env: process.env,
  servers: [],
  startWorker: (words) =>
    spawn(process.execPath, [...process.execArgv, '--no-warnings', worker, ...words], {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      windowsHide: true,
    }),
  report: reportToStarter,
});
process.on('SIGTERM', () => daemon.end());
process.on('SIGINT', () => daemon.end());
process.on('SIGHUP', () => daemon.reload());
await daemon.finished;
process.exit(0);

/** The process that started the daemon may have ended, which must not end the daemon. */
function reportToStarter(report: StartReport): void {
  try {
    writeSync(1, `${JSON.stringify(report)}\n`);
  } catch {
    // The pipe is closed.
  }
}
