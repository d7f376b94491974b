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
