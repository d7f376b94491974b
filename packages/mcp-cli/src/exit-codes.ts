/** What `mcpx` exits with. Scripts rely on these numbers; docs/cli.md explains them. */
export const exitCodes = {
  ok: 0,
  /** A command ran and its outcome is a failure: a tool returned an error, a connection was lost. */
  failed: 1,
  /** The command line was wrong: an unknown command or option, a value that cannot be read. */
  usage: 2,
  /** There is no config, or it has errors. */
  config: 3,
  /** A server that was needed could not be started. */
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
  /** What would have worked. */
  readonly hint?: string | undefined;
  /** Shown below the message, a line each. */
  readonly details?: readonly string[] | undefined;
}

/** Why a command could not do what it was asked for, and what the process exits with for it. */
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

/** A mistake on the command line, or in a file that it names. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';

  constructor(message: string, options: CommandErrorOptions = {}) {
    super(exitCodes.usage, message, options);
  }
}
