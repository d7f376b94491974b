import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '@x/internal/files';
import { ProcessGroup, windowsVariables } from '@x/internal/processes';
import { CommandError, type ExitCode, exitCodes, type Io } from '../command.js';
import { printableLine } from '../output/print.js';
import { programLaunch } from './program-launch.js';

/** Time for a program to end after its stdin, and after SIGTERM, in milliseconds. */
const graceMs = 5_000;
/** The same for processes that it leaves, and then for what is in its pipes. */
const leftoverGraceMs = 2_000;
const pauseMs = 20;

/**
 * Runs a server over stdio. Ends with its client or the program, and leaves no process of it.
 *
 * @param connect - Connects the streams of the program with those of the client.
 * @throws {CommandError} The program cannot be started, or has ended with a failure while the client was there.
 */
export async function runProgram(
  words: readonly string[],
  connect: (program: { readonly stdin: Writable; readonly stdout: Readable }) => void,
  io: Io,
): Promise<ExitCode> {
  const shown = printableLine(words[0] ?? '', 200);
  const child = await start(words, io);
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const closed = once(child, 'close').catch(() => undefined);
  await Promise.race([once(child, 'spawn'), ended]).catch((cause: unknown) => {
    ended.catch(() => undefined);
    throw new CommandError(exitCodes.startFailed, `"${shown}" cannot be started: ${codeOf(cause) ?? 'unknown'}.`, {
      hint: 'Name a server of the config, or a program with its arguments, after "--".',
      cause,
    });
  });
  const group = new ProcessGroup(child.pid as number); // it was started
  using _group = { [Symbol.dispose]: () => group.release() };
  child.stdin.on('error', () => undefined); // the program may be gone
  connect(child);
  using leaving = new Leaving(child.stdin, group, io);
  const [code, killedBy] = await ended;
  await endRest(group);
  // A descendant in a group of its own may keep the pipes open.
  await Promise.race([closed, sleep(leftoverGraceMs, undefined, { ref: false })]);
  for (const stream of [child.stdin, child.stdout]) stream.destroy();
  if (io.signal.aborted) return exitCodes.interrupted;
  if (leaving.hasBegun || code === 0) return exitCodes.ok;
  throw new CommandError(exitCodes.failed, `"${shown}" ended with ${killedBy ?? code}.`);
}

/** Ends what is left after the program. On Windows no tree is left then. */
async function endRest(group: ProcessGroup): Promise<void> {
  if (platform() === 'win32' || !(await group.isAlive())) return;
  group.signal('SIGTERM');
  const limit = performance.now() + leftoverGraceMs;
  while ((await group.isAlive()) && performance.now() < limit) await sleep(pauseMs);
  if (await group.isAlive()) group.signal('SIGKILL');
}

/** Ends the program once its client has gone or the user interrupts, also if that was before. */
class Leaving implements Disposable {
  hasBegun = false;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #io: Io;
  readonly #begin: () => void;

  constructor(programStdin: Writable, group: ProcessGroup, io: Io) {
    this.#io = io;
    this.#begin = () => {
      if (this.hasBegun) return;
      this.hasBegun = true;
      programStdin.end();
      this.#timers.push(
        setTimeout(() => group.signal('SIGTERM'), graceMs),
        setTimeout(() => group.signal('SIGKILL'), 2 * graceMs),
      );
    };
    io.stdin.once('end', this.#begin);
    io.signal.addEventListener('abort', this.#begin, { once: true });
    if (io.signal.aborted || io.stdin.readableEnded) this.#begin();
  }

  [Symbol.dispose](): void {
    this.#io.stdin.off('end', this.#begin);
    this.#io.signal.removeEventListener('abort', this.#begin);
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

type Program = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };

async function start(words: readonly string[], { cwd, env }: Io): Promise<Program> {
  const isWindows = platform() === 'win32';
  const { file, args, isVerbatim } = await programLaunch(words, { cwd, env }, platform());
  const child = spawn(file, [...args], {
    cwd,
    env: { ...windowsVariables, ...env } as NodeJS.ProcessEnv,
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: !isWindows,
    windowsHide: true,
    windowsVerbatimArguments: isVerbatim,
  });
  return child as Program; // `stdio` has two pipes
}
