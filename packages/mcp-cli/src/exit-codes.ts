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

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A mistake on the command line. `hint` says what would have worked. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | undefined;

  constructor(message: string, { hint, ...options }: ErrorOptions & { hint?: string } = {}) {
    super(message, options);
    this.hint = hint;
  }
}
