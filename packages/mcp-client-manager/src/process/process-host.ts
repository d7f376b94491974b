import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { childEnvironment, launchVariable, ownerVariable } from './child-environment.js';
import { commandPath } from './command-path.js';
import { findEscaped } from './escaped-processes.js';
import { type GuardedGroup, hostGuardian } from './guardian.js';
import { Journal } from './journal.js';
import { processEntry } from './process-table.js';
import { reapOrphans } from './reap.js';
import { type LaunchWatch, type ServerProcess, spawnServer } from './spawn-server.js';
import { StderrLog } from './stderr-log.js';

/** How long logs may take to reach the disk at the end, in milliseconds. */
const flushTimeoutMs = 1_000;

export interface ProcessHostOptions {
  /** Where the environment of servers is inherited from, through an allow-list. */
  readonly environment: NodeJS.ProcessEnv;
  /** Default `inherited`. */
  readonly commandPath?: 'inherited' | 'login-shell' | undefined;
  /** Takes secrets out of each line of stderr. Default: leaves it as it is. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Where the journal of processes is kept. Default: none is. */
  readonly stateDirectory?: string | undefined;
  /** Where stderr is logged. Default: nowhere. */
  readonly logDirectory?: string | undefined;
  /** What went wrong beside the servers, for people; each once. Default: a warning of the process. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

/** What to run for one server. */
export interface ProcessRequest {
  readonly server: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the inherited allow-list; wins over it. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly onStderrLine: (line: string) => void;
  /** After a stop: processes that the server has started and that have left its process group. They are not ended. */
  readonly onEscaped?: ((pids: readonly number[]) => void) | undefined;
}

/** Starts the processes of one manager and answers for them, also for the case that this host is killed. */
export class ProcessHost {
  readonly #options: ProcessHostOptions;
  readonly #onProblem: (message: string) => void;
  /** Value of the owner marker in the environment of every process. */
  readonly #owner = `${process.pid}-${randomUUID()}`;
  readonly #journal: Journal | undefined;
  readonly #logs = new Map<string, StderrLog>();
  #reaping: Promise<unknown> | undefined;

  constructor(options: ProcessHostOptions) {
    this.#options = options;
    this.#onProblem = options.onProblem ?? ((message) => process.emitWarning(message));
    const directory = this.#journalDirectory;
    if (directory !== undefined) {
      this.#journal = new Journal({ directory, owner: this.#owner, onProblem: this.#onProblem });
    }
  }

  /**
   * Starts one process; the first one only after what killed hosts have left behind is gone.
   *
   * @throws {ManagerError} `command-not-found`, `command-not-executable`, `directory-not-found` or `spawn-failed`.
   */
  async spawn({ env, onStderrLine, onEscaped, ...request }: ProcessRequest): Promise<ServerProcess> {
    const { environment: inherited, commandPath: source = 'inherited', redact } = this.#options;
    await this.#reapOnce();
    const path = await commandPath({ source, env, environment: inherited });
    const declared = source === 'inherited' ? env : { ...env, PATH: path };
    const launch = randomUUID();
    const marks = { [ownerVariable]: this.#owner, [launchVariable]: launch };
    const log = this.#logOf(request.server);
    return spawnServer({
      ...request,
      path,
      source,
      inherited,
      environment: childEnvironment(declared, { inherited, platform: process.platform, marks }),
      redact,
      onStderrLine: (line) => {
        log?.write(line);
        onStderrLine(line);
      },
      watch: this.#watch(request.server, { entry: `${launchVariable}=${launch}`, onEscaped }),
    });
  }

  /** To be called when every process is stopped. Resolves when the logs are written, or after a second. */
  async close(): Promise<void> {
    hostGuardian.release(this);
    this.#journal?.close();
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise((resolve) => {
      timer = setTimeout(resolve, flushTimeoutMs);
    });
    await Promise.race([over, Promise.all(Array.from(this.#logs.values(), (log) => log.flush()))]);
    clearTimeout(timer);
  }

  /** Who has to know of a process: the guardian before it is started, both guardian and journal from then on. */
  #watch(server: string, { entry, onEscaped }: { entry: string } & Pick<ProcessRequest, 'onEscaped'>): LaunchWatch {
    let group: GuardedGroup | undefined;
    return {
      starting: () => hostGuardian.expect(this, entry),
      notStarted: () => hostGuardian.expectNothing(),
      started: (pid) => {
        const startTime = processEntry(pid)?.startTime;
        group = { group: pid, startTime };
        hostGuardian.guard(group);
        if (startTime !== undefined) this.#journal?.add({ pid, group: pid, startTime, server });
      },
      gone: async () => {
        if (!group) return;
        hostGuardian.forget(group);
        this.#journal?.remove(group.group);
        const escaped = await findEscaped(entry);
        if (escaped.length > 0) onEscaped?.(escaped);
      },
    };
  }

  get #journalDirectory(): string | undefined {
    const { stateDirectory } = this.#options;
    return stateDirectory === undefined ? undefined : join(stateDirectory, 'processes');
  }

  async #reapOnce(): Promise<void> {
    const directory = this.#journalDirectory;
    if (directory === undefined) return;
    this.#reaping ??= reapOrphans({ directory, onProblem: this.#onProblem });
    await this.#reaping;
  }

  #logOf(server: string): StderrLog | undefined {
    const { logDirectory: directory } = this.#options;
    if (directory === undefined) return undefined;
    const log = this.#logs.get(server) ?? new StderrLog({ directory, server, onProblem: this.#onProblem });
    this.#logs.set(server, log);
    return log;
  }
}
