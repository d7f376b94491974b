import type { Readable } from 'node:stream';

/** The outside world as a command sees it, so that a test can run one in-process. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths start and where the search for a config begins. */
  readonly cwd: string;
  /**
   * Absolute path of the directory for what outlives a command: which tools servers have, which processes were started.
   * Left out: nothing is kept.
   */
  readonly stateDirectory?: string | undefined;
  /** How the two processes of a daemon are started. Left out: no daemon can be started. */
  readonly daemonPrograms?: DaemonPrograms | undefined;
  /** Aborts when the user interrupts; every command then stops its servers and ends. */
  readonly signal: AbortSignal;
}

export interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Command lines without their arguments: a program and its first words. */
export interface DaemonPrograms {
  /** `mcpx` itself, for a service that is to run it. */
  readonly command: readonly string[];
  readonly parent: readonly string[];
  readonly worker: readonly string[];
}
