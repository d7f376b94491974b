import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { DaemonPrograms, ExitCode } from '../../src/command.js';
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
  /** Default: nothing is kept. */
  readonly stateDirectory?: string;
  readonly daemonPrograms?: DaemonPrograms;
  /** Both streams are terminals of this size. */
  readonly terminal?: { readonly columns: number; readonly rows: number };
  /** Called with everything that was written to stderr so far, whenever more is. */
  readonly onStderr?: (text: string) => void;
  /** The same of stdout. */
  readonly onStdout?: (text: string) => void;
}

/** Missing, so that no host app of the machine is found. */
const noHome = join(tmpdir(), 'mcpx-test-no-home');

/** Runs one command in this process, with a world of its own. */
export async function runMcpx(
  argv: readonly string[],
  {
    cwd = process.cwd(),
    env = {},
    stdin = '',
    signal = new AbortController().signal,
    stateDirectory,
    daemonPrograms,
    terminal,
    onStderr,
    onStdout,
  }: RunOptions = {},
): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  const exitCode = await run(argv, {
    stdin: Readable.from([stdin]),
    stdout: Object.assign(
      textStream((text) => {
        stdout += text;
        onStdout?.(stdout);
      }),
      terminal && { isTTY: true as const, ...terminal },
    ),
    stderr: {
      write: (text) => {
        stderr += text;
        onStderr?.(stderr);
      },
      ...(terminal && { isTTY: true, ...terminal }),
    },
    env: { PATH: process.env.PATH, HOME: noHome, MCPX_TRUST: '1', ...env },
    cwd,
    signal,
    stateDirectory,
    daemonPrograms,
  });
  return { exitCode, stdout, stderr };
}

/** Takes each text at once. */
function textStream(onText: (text: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write: (text: string | Buffer, _encoding, done) => {
      onText(String(text));
      done();
    },
  });
}
