/** Options of every command that reads a config. */
export interface CommonOptions {
  readonly config?: readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
  /** Gives consent to the servers of the config, for commands that may start some. */
  readonly trust?: boolean;
}
