import type { Readable } from 'node:stream';
import type { KeyStore } from './signing-in/key-store.js';

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
  /** Version of Node that runs this, as in `20.19.0`. Left out: nothing depends on it. */
  readonly nodeVersion?: string | undefined;
  /** How the two processes of a daemon are started. Left out: no daemon can be started. */
  readonly daemonPrograms?: DaemonPrograms | undefined;
  /** Where the key is that sign-ins are sealed with. Left out: there is no such place. */
  readonly keyStore?: (() => Promise<KeyStore>) | undefined;
  /** Shows a web page to the user. Resolves to whether there is a browser. Left out: there is none. */
  readonly openPage?: ((url: URL) => Promise<boolean>) | undefined;
  /** Shows a file of this machine to the user as a page. Resolves to whether there is a browser. Left out: there is none. */
  readonly openFile?: ((path: string) => Promise<boolean>) | undefined;
  /**
   * To be called by a command that runs for long: at its end the process does not wait for those who do not read what was
   * written to them. Left out: it waits.
   */
  readonly leaveUnread?: (() => void) | undefined;
  /**
   * To be called by a command that reads its files again when the process receives SIGHUP, until disposed. A terminal that
   * is closed interrupts all the same. Left out: nobody asks.
   */
  readonly onHangup?: ((listener: () => void) => Disposable) | undefined;
  /** Aborts when the user interrupts; every command then stops its servers and ends. */
  readonly signal: AbortSignal;
}

/** What is needed of `process.stdout` and `process.stderr`. */
export interface OutputStream {
  /** Takes text; nobody waits until it is out. */
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** Command lines without their arguments: a program and its first words. */
export interface DaemonPrograms {
  /** `mcpx` itself, for a service that is to run it. */
  readonly command: readonly string[];
  readonly parent: readonly string[];
  readonly worker: readonly string[];
}
