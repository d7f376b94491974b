#!/usr/bin/env node
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';
import envPaths from 'env-paths';
import { preparedAnswer } from './prepared-answer.js';

/** Shows the cursor and wraps lines. */
const terminalAsItWas = '\u001b[?25h\u001b[?7h';

const interruption = new AbortController();

// `mcpx search … | head`: whoever read has seen enough.
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
  const hangupListeners = new Set<() => void>();
  const isClosed = terminals();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (signal === 'SIGHUP' && hangupListeners.size > 0 && !isClosed()) {
        for (const listener of hangupListeners) listener();
        return;
      }
      // The second signal means now: the exit hook of the client manager ends what still runs.
      if (interruption.signal.aborted) {
        for (const stream of [process.stdout, process.stderr]) if (stream.isTTY) stream.write(terminalAsItWas);
        process.exit(130);
      }
      interruption.abort();
    });
  }
  let waitsForReaders = true;
  let stdin: NodeJS.ReadStream | undefined;
  const { run } = await import('./index.js'); // not run.js: that would be one file more to load
  process.exitCode = await run(words, {
    // Opened for commands that read it alone.
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
  // A terminal as stdin would keep the process alive although nobody reads it any more.
  stdin?.unref?.();
}

/** @returns Tells whether one of the terminals that the process has right now was closed since. */
function terminals(): () => boolean {
  if (process.platform === 'win32') return () => true; // there SIGHUP means nothing else
  const open = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  return () => open.some((descriptor) => !isatty(descriptor));
}

/** A user without a home directory has none. */
function stateDirectory(): string | undefined {
  try {
    return envPaths('mcpx', { suffix: '' }).data;
  } catch {
    return undefined;
  }
}

/** A program of this package, to be run as this one is. */
function program(name: string): readonly string[] {
  return [process.execPath, fileURLToPath(new URL(`./${name}.js`, import.meta.url))];
}
