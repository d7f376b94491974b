import { Readable } from 'node:stream';
import type { ExitCode } from '../../src/exit-codes.js';
import { run } from '../../src/run.js';

export interface Outcome {
  readonly exitCode: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  readonly signal?: AbortSignal;
  /** Called with everything that was written to stderr so far, whenever more is. */
  readonly onStderr?: (text: string) => void;
}

/** Runs one command in this process, with a world of its own. */
export async function runMcpx(
  argv: readonly string[],
  { cwd = process.cwd(), env = {}, stdin = '', signal = new AbortController().signal, onStderr }: RunOptions = {},
): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  const exitCode = await run(argv, {
    stdin: Readable.from([stdin]),
    stdout: {
      write: (text) => {
        stdout += text;
      },
    },
    stderr: {
      write: (text) => {
        stderr += text;
        onStderr?.(stderr);
      },
    },
    env: { PATH: process.env.PATH, ...env },
    cwd,
    signal,
  });
  return { exitCode, stdout, stderr };
}
