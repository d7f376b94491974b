import { randomUUID } from 'node:crypto';
import { unlessAborted, within } from '@x/internal/async';
import type { ProcessGroup } from '@x/internal/processes';
import { findEscaped, processEntry } from '@x/internal/processes';
import { ManagerError } from '../errors.js';
import { childEnvironment, launchVariable, ownerVariable } from './child-environment.js';
import { resolveCommand } from './command/check-command.js';
import { commandPath } from './command/command-path.js';
import { type GuardedGroup, processGuardian } from './orphans/guardian.js';
import { Journal, journalDirectory } from './orphans/journal.js';
import { reapOrphans } from './orphans/reap.js';
import { type LaunchWatch, type ServerProcess, spawnServer } from './spawn-server.js';
import { StderrLog } from './stderr/stderr-log.js';

const flushTimeoutMs = 1_000;

export interface ProcessOwnerOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly commandPath?: 'inherited' | 'login-shell' | undefined;
  /** Default: no redaction. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Directory of the process journal. Default: no journal. */
  readonly stateDirectory?: string | undefined;
  readonly logDirectory?: string | undefined;
  readonly onProblem?: ((message: string) => void) | undefined;
}

export interface ProcessRequest {
  readonly server: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly logDirectory?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onStderrLine: (line: string) => void;
  /** After a stop: processes outside the server's group that still run. */
  readonly onEscaped?: ((pids: readonly number[]) => void) | undefined;
}

/** Starts and ends the processes of one manager. None survives if this process is killed. */
export class ProcessOwner {
  readonly #options: ProcessOwnerOptions;
  readonly #onProblem: (message: string) => void;
  readonly #owner = `${process.pid}-${randomUUID()}`;
  readonly #journal: Journal | undefined;
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
   * The first start waits until the leftovers of killed owners have ended. No process starts while another of its
   * server survives its stop.
   *
   * @throws {ManagerError} `command-not-found`, `command-not-executable`, `directory-not-found`, `spawn-failed`,
   *   `stop-failed` or `closed`.
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
    // `AbortSignal.any` leaks memory on a signal as old as the manager.
    const ending = this.#ending.signal;
    const path = await unlessAborted(unlessAborted(this.#prepare(request.server, env), ending), signal);
    const declared = source === 'login-shell' ? { ...env, PATH: path } : env;
    const launch = randomUUID();
    const marks = { [ownerVariable]: this.#owner, [launchVariable]: launch };
    const log = this.#logOf(request.server, logDirectory);
    signal?.throwIfAborted();
    ending.throwIfAborted(); // same turn as the spawn: nothing starts after `end`
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

  async canStart({ command, cwd, env }: Pick<ProcessRequest, 'command' | 'cwd' | 'env'>): Promise<boolean> {
    const { environment: inherited, commandPath: source = 'inherited' } = this.#options;
    const path = await commandPath({ source, env, environment: inherited });
    return resolveCommand({ command, cwd, path, source, inherited }).status === 'found';
  }

  async forget(server: string): Promise<void> {
    const known = this.#logs.get(server);
    await known?.log.flush();
    if (known && this.#logs.get(server) === known) this.#logs.delete(server);
  }

  end(): void {
    this.#ending.abort(
      new ManagerError('closed', 'The client manager is closed and starts no servers. Create a new one.'),
    );
  }

  /** After the end of every process. Resolves when the logs are written, or after a second. */
  async close(): Promise<void> {
    processGuardian.release(this);
    this.#journal?.close();
    await within(Promise.all(Array.from(this.#logs.values(), ({ log }) => log.flush())), flushTimeoutMs);
  }

  #watch(server: string, { entry, onEscaped }: { entry: string } & Pick<ProcessRequest, 'onEscaped'>): LaunchWatch {
    let group: GuardedGroup | undefined;
    const gone = async (): Promise<void> => {
      if (!group) return;
      processGuardian.forget(group);
      this.#journal?.remove(group.group);
      const escaped = await findEscaped(entry);
      if (escaped.length > 0) onEscaped?.(escaped);
    };
    return {
      starting: () => processGuardian.expect(this, entry),
      notStarted: () => processGuardian.expectNothing(),
      started: (pid) => {
        const startTime = processEntry(pid)?.startTime;
        group = { group: pid, startTime };
        processGuardian.guard(group);
        if (startTime !== undefined) this.#journal?.add({ pid, group: pid, startTime, server });
      },
      stuck: (pid, processes) => this.#stuck.add(server, { pid, processes, gone }),
      gone,
    };
  }

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

export interface StuckProcess {
  readonly pid: number;
  readonly processes: Pick<ProcessGroup, 'isAlive' | 'release'>;
  readonly gone: () => Promise<void>;
}

/** Processes that survived SIGKILL. They block the next start of their server. */
export class StuckProcesses {
  readonly #stuck = new Map<string, StuckProcess[]>();

  add(server: string, stuck: StuckProcess): void {
    this.#stuck.set(server, [...(this.#stuck.get(server) ?? []), stuck]);
  }

  /** @throws {ManagerError} `stop-failed` */
  async requireGone(server: string): Promise<void> {
    for (const { pid, processes, gone } of this.#stuck.get(server) ?? []) {
      if (await processes.isAlive()) throw stuckError(server, pid);
      processes.release();
      await gone();
    }
    this.#stuck.delete(server);
  }
}

function stuckError(server: string, pid: number): ManagerError {
  const message = `Server "${server}" cannot start: its process ${pid} could not be ended. Start the server again after that process has ended; it usually waits for a disk or a network file system.`;
  return new ManagerError('stop-failed', message, { server });
}
