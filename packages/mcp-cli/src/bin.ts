#!/usr/bin/env node
import { isAbsolute } from 'node:path';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';
import envPaths from 'env-paths';
import { preparedAnswer } from './command-line/prepared-answer.js';

/** Shows the cursor and wraps lines. */
const restoreTerminal = '\u001b[?25h\u001b[?7h';

const interruption = new AbortController();

// The reader of the pipe has ended, as in `mcpx search … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  interruption.abort();
});

const words = process.argv.slice(2);
const prepared = preparedAnswer(words, {
  directory: new URL('./prepared/', import.meta.url),
  columns: process.stdout.columns,
});
if (prepared === undefined) await runCommand();
else process.stdout.write(prepared);

async function runCommand(): Promise<void> {
  // Some MCP clients close the pipe before they end the process. Messages are then lost, and the command goes on.
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  // Node would add its process id and a hint for developers. Without a listener, warnings are switched off.
  if (process.listenerCount('warning') > 0) {
    process.removeAllListeners('warning');
    process.on('warning', ({ message }) => process.stderr.write(`warning: ${message}\n`));
  }
  const hangupListeners = new Set<() => void>();
  const isClosed = terminals();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (signal === 'SIGHUP' && hangupListeners.size > 0 && !isClosed()) {
        for (const listener of hangupListeners) listener();
        return;
      }
      // The second signal exits at once; the exit hook of the client manager ends remaining processes.
      if (interruption.signal.aborted) {
        for (const stream of [process.stdout, process.stderr]) if (stream.isTTY) stream.write(restoreTerminal);
        process.exit(130);
      }
      interruption.abort();
    });
  }
  let waitsForReaders = true;
  let stdin: NodeJS.ReadStream | undefined;
  const { run } = await import('./index.js'); // run.js would be one more file to load
  process.exitCode = await run(words, {
    // Only commands that read stdin open it.
    get stdin() {
      stdin ??= process.stdin;
      return stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    stateDirectory: stateDirectory(),
    daemonPrograms: { command: program('bin'), parent: program('daemon-parent'), worker: program('daemon-worker') },
    nodeVersion: process.versions.node,
    keyStore: async () => (await import('./signing-in/key-store.js')).systemKeyStore(),
    openPage: async (url) => {
      const { openPage } = await import('./signing-in/open-page.js');
      return openPage(url, { platform: process.platform, env: process.env });
    },
    openFile: async (path) => {
      const { openTarget } = await import('./signing-in/open-page.js');
      return openTarget(path, { platform: process.platform, env: process.env });
    },
    leaveUnread: () => {
      waitsForReaders = false;
    },
    onHangup: (listener) => {
      hangupListeners.add(listener);
      return { [Symbol.dispose]: () => void hangupListeners.delete(listener) };
    },
    signal: interruption.signal,
  });
  const isUnread = process.stdout.writableLength > 0 || process.stderr.writableLength > 0;
  if (!waitsForReaders && isUnread) process.exit();
  // A terminal as stdin would keep the process alive.
  stdin?.unref?.();
}

/** @returns A check that is true once one of the current terminals is closed. */
function terminals(): () => boolean {
  if (process.platform === 'win32') return () => true; // on Windows SIGHUP has no other meaning
  const open = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  return () => open.some((descriptor) => !isatty(descriptor));
}

/** `undefined` for a user without a home directory. */
function stateDirectory(): string | undefined {
  try {
    const { data } = envPaths('mcpx', { suffix: '' });
    return isAbsolute(data) ? data : undefined; // a relative one would lead into the project
  } catch {
    return undefined;
  }
}

function program(name: string): readonly string[] {
  return [process.execPath, fileURLToPath(new URL(`./${name}.js`, import.meta.url))];
}
