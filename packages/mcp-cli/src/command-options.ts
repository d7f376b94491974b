/** What every command that reads a config takes. */
export interface CommonOptions {
  readonly config?: readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
  /** Agrees to what servers of the config run, for commands that may start some. */
  readonly trust?: boolean;
}
