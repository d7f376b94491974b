import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { win32 } from 'node:path';
import { windowsVariables } from '@x/internal/processes';

interface RunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Maximum output. A program that writes more is ended. */
  readonly maxBytes: number;
}

export type ProgramEnd =
  | { readonly kind: 'exited'; readonly code: number; readonly output: Uint8Array }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'too-much' }
  | { readonly kind: 'not-started'; readonly code: string };

/**
 * Returns the standard output of a program until it exits. Child processes that keep the output open are ended with the
 * process group.
 *
 * @throws The reason of `signal` when it aborts; the program is then ended.
 */
export async function runProgram(program: string, args: readonly string[], options: RunOptions): Promise<ProgramEnd> {
  const { cwd, env, signal, maxBytes } = options;
  signal.throwIfAborted();
  const file = hasGroups ? program : findWindowsProgram({ program, cwd, env });
  if (file === undefined) return { kind: 'not-started', code: 'ENOENT' };
  const child = spawn(file, args, {
    cwd,
    env: { ...windowsVariables, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
    detached: hasGroups, // creates a process group
  });
  const stop = () => endGroup(child);
  signal.addEventListener('abort', stop);
  const output = new Output(maxBytes, stop);
  child.stdout.on('data', (chunk: Buffer) => output.add(chunk)).on('error', () => undefined);
  try {
    const end = await endOf(child);
    signal.throwIfAborted();
    if (output.isTooMuch) return { kind: 'too-much' };
    if (end.kind !== 'exited') return end;
    await drained(child);
    signal.throwIfAborted();
    return output.isTooMuch ? { kind: 'too-much' } : { ...end, output: output.bytes };
  } finally {
    signal.removeEventListener('abort', stop);
    endGroup(child);
    child.stdout.destroy();
  }
}

const hasGroups = process.platform !== 'win32';

/** Maximum wait for output that another process keeps open. */
const drainMs = 200;

class Output {
  readonly #chunks: Buffer[] = [];
  readonly #maxBytes: number;
  readonly #onTooMuch: () => void;
  #length = 0;

  constructor(maxBytes: number, onTooMuch: () => void) {
    this.#maxBytes = maxBytes;
    this.#onTooMuch = onTooMuch;
  }

  get isTooMuch(): boolean {
    return this.#length > this.#maxBytes;
  }

  get bytes(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }

  add(chunk: Buffer): void {
    if (this.isTooMuch) return;
    this.#length += chunk.length;
    this.#chunks.push(chunk);
    if (this.isTooMuch) this.#onTooMuch();
  }
}

type End = { readonly kind: 'exited'; readonly code: number } | Extract<ProgramEnd, { kind: 'killed' | 'not-started' }>;

function endOf(child: ChildProcess): Promise<End> {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      const code = 'code' in error ? String(error.code) : error.name;
      if (child.pid === undefined) resolve({ kind: 'not-started', code });
    });
    child.once('exit', (code, signal) => {
      resolve(code === null ? { kind: 'killed', signal: String(signal) } : { kind: 'exited', code });
    });
  });
}

function drained({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null || stdout.closed || stdout.readableEnded) return Promise.resolve();
  return new Promise((resolve) => {
    // Pending output is read before the immediate runs, even if the timer is late.
    const timer = setTimeout(() => setImmediate(resolve), drainMs);
    stdout.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** On Windows, which has no process groups, ends only the program. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (hasGroups) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // The group has ended already.
  }
}

interface ProgramQuery {
  readonly program: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds a program on Windows, which would search the current directory before PATH. Excludes batch files, because
 * `cmd.exe` parses arguments differently.
 */
export function findWindowsProgram(
  { program, cwd, env }: ProgramQuery,
  isFile: (path: string) => boolean = isFileOnDisk,
): string | undefined {
  const names = /\.(exe|com)$/i.test(program) ? [program] : [`${program}.com`, `${program}.exe`];
  const folders = /[\\/:]/.test(program) ? [cwd] : foldersOf(env);
  return folders.flatMap((folder) => names.map((name) => win32.resolve(folder, name))).find(isFile);
}

function foldersOf(env: ProgramQuery['env']): readonly string[] {
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
  const entries = path.split(win32.delimiter).map((entry) => entry.trim().replace(/^"(.*)"$/, '$1'));
  return entries.filter((entry) => /^[a-z]:[\\/]/i.test(entry) || /^[\\/]{2}[^\\/]/.test(entry));
}

function isFileOnDisk(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
