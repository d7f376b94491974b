import type { Readable } from 'node:stream';
import type { KeyStore } from './signing-in/key-store.js';

/** Options of every command that reads a config. */
export interface CommonOptions {
  readonly config?: readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
  /** Gives consent to the servers of the config, for commands that may start some. */
  readonly trust?: boolean;
}

/** The environment of a command, replaceable so that tests run commands in-process. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Working directory: base of relative paths and start of the search for a config. */
  readonly cwd: string;
  /** Absolute path of the directory for state, such as tool catalogs. Default: nothing is stored. */
  readonly stateDirectory?: string | undefined;
  /** Version of Node.js, such as `20.19.0`. Default: `doctor` skips the check. */
  readonly nodeVersion?: string | undefined;
  /** Programs of the daemon's two processes. Default: no daemon can be started. */
  readonly daemonPrograms?: DaemonPrograms | undefined;
  /** The store of the key that encrypts sign-ins. Default: none. */
  readonly keyStore?: (() => Promise<KeyStore>) | undefined;
  /** Opens a web page for the user. Resolves to `false` if there is no browser. Default: there is none. */
  readonly openPage?: ((url: URL) => Promise<boolean>) | undefined;
  /** The same for a local file. Default: there is no browser. */
  readonly openFile?: ((path: string) => Promise<boolean>) | undefined;
  /** Lets the process exit with unread output; long-running commands call it. Default: the process waits. */
  readonly leaveUnread?: (() => void) | undefined;
  /** Listens for SIGHUP until disposed. A closed terminal interrupts instead. Default: no SIGHUP arrives. */
  readonly onHangup?: ((listener: () => void) => Disposable) | undefined;
  /** Aborts when the process of the user is gone. Default: never. */
  readonly gone?: AbortSignal | undefined;
  /** Aborts when the user interrupts; every command then stops its servers and ends. */
  readonly signal: AbortSignal;
}

/** The part of `process.stdout` and `process.stderr` that commands use. */
export interface OutputStream {
  /** Writes text without waiting for it to be flushed. */
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** Command lines without arguments: a program and its first words. */
export interface DaemonPrograms {
  /** `mcpx` itself, for service files. */
  readonly command: readonly string[];
  readonly parent: readonly string[];
  readonly worker: readonly string[];
}

/** Exit codes of `mcpx`. Scripts depend on these numbers; docs/cli.md documents them. */
export const exitCodes = {
  ok: 0,
  /** The command ran and failed: a tool returned an error, a connection was lost. */
  failed: 1,
  /** The command line is wrong: an unknown command or option, an invalid value. */
  usage: 2,
  /** The config is missing, has errors, or lacks the user's consent. */
  config: 3,
  /** A required server did not start. */
  startFailed: 4,
  /** No such server or tool, or the role may not use it. */
  notFound: 5,
  timedOut: 6,
  /** Ctrl-C or SIGTERM: 128 + SIGINT. */
  interrupted: 130,
} as const;

/** One of `exitCodes`. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export interface CommandErrorOptions extends ErrorOptions {
  /** Suggested remedy. */
  readonly hint?: string | undefined;
  /** Printed below the message, one per line. */
  readonly details?: readonly string[] | undefined;
}

/** An expected failure of a command, with its exit code. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;
  readonly details: readonly string[];

  constructor(exitCode: ExitCode, message: string, { hint, details = [], ...options }: CommandErrorOptions = {}) {
    super(message, options);
    this.exitCode = exitCode;
    this.hint = hint;
    this.details = details;
  }
}

/** A mistake on the command line or in a file that it names. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';

  constructor(message: string, options: CommandErrorOptions = {}) {
    super(exitCodes.usage, message, options);
  }
}

/** Hints for failures without a hint of their own, by exit code. */
export const nextSteps: Partial<Record<ExitCode, string>> = {
  [exitCodes.startFailed]: 'Run "mcpx doctor" to find the cause.',
  [exitCodes.notFound]: 'Run "mcpx status" to see the servers, and "mcpx search" to find tools.',
};
