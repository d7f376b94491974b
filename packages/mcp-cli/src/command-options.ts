/** What every command that reads a config takes. */
export interface CommonOptions {
  readonly config?: readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
}
