import type { Readable } from 'node:stream';
import type { KeyStore } from './signing-in/key-store.js';

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
