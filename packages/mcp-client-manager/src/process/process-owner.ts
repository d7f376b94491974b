import { randomUUID } from 'node:crypto';
import { unlessAborted, within } from '@x/internal/async';
import { ManagerError } from '../errors.js';
import { childEnvironment, launchVariable, ownerVariable } from './child-environment.js';
import { lookUp } from './command/check-command.js';
import { commandPath } from './command/command-path.js';
import { findEscaped } from './orphans/escaped-processes.js';
import { type GuardedGroup, hostGuardian } from './orphans/guardian.js';
import { Journal, journalDirectory } from './orphans/journal.js';
import { reapOrphans } from './orphans/reap.js';
import { StuckProcesses } from './orphans/stuck-processes.js';
import { processEntry } from './process-table.js';
import { type LaunchWatch, type ServerProcess, spawnServer } from './spawn-server.js';
import { StderrLog } from './stderr/stderr-log.js';

/** How long logs may take to reach the disk at the end, in milliseconds. */
const flushTimeoutMs = 1_000;

export interface ProcessOwnerOptions {
  /** Where the environment of servers is inherited from, through an allow-list. */
  readonly environment: NodeJS.ProcessEnv;
  /** Default `inherited`. */
  readonly commandPath?: 'inherited' | 'login-shell' | undefined;
  /** Takes secrets out of each line of stderr. Default: leaves it as it is. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Where the journal of processes is kept. Default: none is. */
  readonly stateDirectory?: string | undefined;
  /** Where stderr of servers is logged that name no directory. Default: nowhere. */
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
  /** Default: that of the host. */
  readonly logDirectory?: string | undefined;
  /** Ends the wait for what comes before the start. Once it has aborted nothing is started. Default: never. */
  readonly signal?: AbortSignal | undefined;
  readonly onStderrLine: (line: string) => void;
  /** After a stop: processes that the server has started and that have left its process group. They are not ended. */
  readonly onEscaped?: ((pids: readonly number[]) => void) | undefined;
}

/** Starts the processes of one manager and answers for them, also for the case that this host is killed. */
export class ProcessOwner {
  readonly #options: ProcessOwnerOptions;
  readonly #onProblem: (message: string) => void;
  /** Value of the owner marker in the environment of every process. */
  readonly #owner = `${process.pid}-${randomUUID()}`;
  readonly #journal: Journal | undefined;
  /** By server. Processes of one server share a log. */
  readonly #logs = new Map<string, { readonly directory: string; readonly log: StderrLog }>();
  readonly #stuck = new StuckProcesses();
  readonly #ending = new AbortController();
  #reaping: Promise<unknown> | undefined;

  constructor(options: ProcessOwnerOptions) {
    this.#options = options;
    this.#onProblem = options.onProblem ?? ((message) => process.emitWarning(message));
    const directory = this.#journalDirectory;
    if (directory !== undefined) {
      this.#journal = new Journal({ directory, owner: this.#owner, onProblem: this.#onProblem });
    }
  }

  /**
   * Starts one process; the first one only after what killed hosts have left behind is gone, and none beside one of the
   * same server that could not be ended.
   *
   * @throws {ManagerError} `command-not-found`, `command-not-executable`, `directory-not-found`, `spawn-failed`,
   * `stop-failed` or `closed`. Rejects with the signal's reason when that aborts.
   */
  async spawn({
    env,
    logDirectory,
    signal,
    onStderrLine,
    onEscaped,
    ...request
  }: ProcessRequest): Promise<ServerProcess> {
    const { environment: inherited, commandPath: source, redact } = this.#options;
    // Not `AbortSignal.any`: that leaves something behind at a signal which lives as long as the manager.
    const ending = this.#ending.signal;
    const path = await unlessAborted(unlessAborted(this.#prepare(request.server, env), ending), signal);
    const declared = source === 'login-shell' ? { ...env, PATH: path } : env;
    const launch = randomUUID();
    const marks = { [ownerVariable]: this.#owner, [launchVariable]: launch };
    const log = this.#logOf(request.server, logDirectory);
    signal?.throwIfAborted();
    ending.throwIfAborted(); // in the turn of the start itself: whoever has asked for the end may rely on it
    return spawnServer({
      ...request,
      path,
      source: source ?? 'inherited',
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

  /** Whether the command is there and could be started, as far as a look at its file tells. */
  async isThere({ command, cwd, env }: Pick<ProcessRequest, 'command' | 'cwd' | 'env'>): Promise<boolean> {
    const { environment: inherited, commandPath: source = 'inherited' } = this.#options;
    const path = await commandPath({ source, env, environment: inherited });
    return lookUp({ command, cwd, path, source, inherited }).status === 'found';
  }

  /** To be called when a server of this name is gone for good: frees what was kept for the next process of it. */
  async forget(server: string): Promise<void> {
    const known = this.#logs.get(server);
    await known?.log.flush();
    if (known && this.#logs.get(server) === known) this.#logs.delete(server);
  }

  /** From now on nothing is started. To be called before the processes are stopped for good. */
  end(): void {
    this.#ending.abort(new ManagerError('closed', 'Nothing is started any more: the client manager is closed'));
  }

  /** To be called when every process is stopped. Resolves when the logs are written, or after a second. */
  async close(): Promise<void> {
    hostGuardian.release(this);
    this.#journal?.close();
    await within(Promise.all(Array.from(this.#logs.values(), ({ log }) => log.flush())), flushTimeoutMs);
  }

  /** Who has to know of a process: the guardian before it is started, both guardian and journal from then on. */
  #watch(server: string, { entry, onEscaped }: { entry: string } & Pick<ProcessRequest, 'onEscaped'>): LaunchWatch {
    let group: GuardedGroup | undefined;
    const gone = async (): Promise<void> => {
      if (!group) return;
      hostGuardian.forget(group);
      this.#journal?.remove(group.group);
      const escaped = await findEscaped(entry);
      if (escaped.length > 0) onEscaped?.(escaped);
    };
    return {
      starting: () => hostGuardian.expect(this, entry),
      notStarted: () => hostGuardian.expectNothing(),
      started: (pid) => {
        const startTime = processEntry(pid)?.startTime;
        group = { group: pid, startTime };
        hostGuardian.guard(group);
        if (startTime !== undefined) this.#journal?.add({ pid, group: pid, startTime, server });
      },
      stuck: (pid, processes) => this.#stuck.add(server, { pid, processes, gone }),
      gone,
    };
  }

  /** @returns Where its command is looked for. */
  async #prepare(server: string, env: ProcessRequest['env']): Promise<string> {
    const { environment, commandPath: source = 'inherited' } = this.#options;
    await this.#reapOnce();
    await this.#stuck.requireGone(server);
    return commandPath({ source, env, environment });
  }

  get #journalDirectory(): string | undefined {
    const { stateDirectory } = this.#options;
    return stateDirectory === undefined ? undefined : journalDirectory(stateDirectory);
  }

  async #reapOnce(): Promise<void> {
    const directory = this.#journalDirectory;
    if (directory === undefined) return;
    this.#reaping ??= reapOrphans({ directory, onProblem: this.#onProblem });
    await this.#reaping;
  }

  #logOf(server: string, directory = this.#options.logDirectory): StderrLog | undefined {
    if (directory === undefined) return undefined;
    const known = this.#logs.get(server);
    if (known?.directory === directory) return known.log;
    const log = new StderrLog({ directory, server, onProblem: this.#onProblem });
    this.#logs.set(server, { directory, log });
    return log;
  }
}
