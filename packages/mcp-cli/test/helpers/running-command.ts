import { PassThrough } from 'node:stream';
import type { ExitCode, Io } from '../../src/command.js';
import { run } from '../../src/run.js';

/** A command of `mcpx` in the process of the test, such as `serve`. Disposing of it interrupts it and waits for its end. */
export interface RunningCommand extends AsyncDisposable {
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly stderr: () => string;
  /** Resolves when a match has been written to stderr; rejects when the command ends without one. */
  seen(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<ExitCode>;
  interrupt(): void;
  hangUp(): void;
}

export function startCommand(argv: readonly string[], io: Pick<Io, 'env' | 'cwd'> & Partial<Io>): RunningCommand {
  const [stdin, stdout, interruption] = [new PassThrough(), new PassThrough(), new AbortController()];
  const listeners = new Set<() => void>();
  const watchers = new Set<() => void>();
  let stderr = '';
  const write = (text: string): void => {
    stderr += text;
    for (const look of watchers) look();
  };
  const onHangup = (listener: () => void): Disposable => {
    listeners.add(listener);
    return { [Symbol.dispose]: () => void listeners.delete(listener) };
  };
  const ended = run(argv, { ...io, stdin, stdout, stderr: { write }, onHangup, signal: interruption.signal });
  return {
    stdin,
    stdout,
    stderr: () => stderr,
    seen: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(stderr);
          if (match === null) return;
          watchers.delete(look);
          resolve(match);
        };
        watchers.add(look);
        ended.then((code) => reject(new Error(`It ended with ${code} and wrote:\n${stderr}`)), reject);
        look();
      }),
    ended,
    interrupt: () => interruption.abort(),
    hangUp: () => {
      for (const listener of listeners) listener();
    },
    [Symbol.asyncDispose]: async () => {
      interruption.abort();
      await ended;
    },
  };
}
