import { within } from '@x/internal/async';
import { Emitter } from '@x/internal/events';
import type { ClientManager } from '@x/mcp-client-manager';
import { type ConfigIssue, isConfigError } from '@x/mcp-config-schema';
import { type ConfigChange, type ConfigWatch, type LoadOptions, watchConfig } from '@x/mcp-config-schema/load';
import type { Io } from '../command.js';
import type { Stack } from '../compose.js';
import type { ReloadReport } from '../control/reports.js';
import { toControlError } from '../control/to-control-error.js';
import { startsAutomatically } from '../servers/server-rows.js';
import { type ConfigProblem, reasonIn } from './config-problem.js';
import { combineReports, isUnchanged, nothingChanged } from './reload-report.js';
import { trustFiles } from './trust-file.js';

/** Longest wait for a reload in progress, in milliseconds. */
const settleMs = 10_000;

interface LiveConfigOptions {
  readonly stack: Pick<Stack, 'source' | 'reload' | 'reloadTrust' | 'redactor' | 'runsHere' | 'waitsForConsent'> & {
    readonly manager: Pick<ClientManager, 'events' | 'servers'>;
  };
  readonly io: Pick<Io, 'signal' | 'stateDirectory'>;
  /** Watch that the stack was opened with; ended with this. Default: one that begins now. */
  readonly watch?: ConfigWatch | undefined;
}

export interface LiveConfigEvents {
  /** Servers that have come in, now start automatically, or now have consent. They are not started yet. */
  readonly 'new-servers': readonly string[];
  /** An edit, or a call of `reload`, also without changes. */
  readonly change: AppliedChange;
  /** Servers that did not stop completely after an edit. */
  readonly 'stop-failures': readonly string[];
  /** The reason why files are not in effect. */
  readonly problem: ConfigProblem;
}

export interface AppliedChange {
  readonly report: ReloadReport;
  /** New or changed servers that need consent. */
  readonly waiting: readonly string[];
}

/** A config whose files are followed. */
export interface LiveConfig extends AsyncDisposable {
  readonly events: Pick<Emitter<LiveConfigEvents>, 'on'>;
  /**
   * Reads the files now and applies them, as they are.
   *
   * @param options.trust - Gives consent to all launches. Default `false`.
   * @returns All changes since the last call, also those that were applied in between.
   * @throws {ConfigError} The config has errors; nothing changes.
   */
  reload(options?: { readonly trust?: boolean | undefined }): Promise<ReloadReport>;
  /** Why the present files are not in effect. */
  readonly problem: ConfigProblem | undefined;
  /** Time of the version in effect, in milliseconds since 1970. */
  readonly readAt: number;
  /** Resolves when every earlier edit is in effect or refused, after 10 s at the latest. */
  settled(): Promise<void>;
}

/** Watches the files of a config, of trust and approvals. */
export function watchFiles(source: LoadOptions, { stateDirectory, signal }: LiveConfigOptions['io']): ConfigWatch {
  return watchConfig({ ...source, otherFiles: trustFiles(stateDirectory), signal });
}

/**
 * Applies each edit of the config, of trust and approvals within a second, until disposed. Files with errors
 * change nothing.
 */
export function followConfig(options: LiveConfigOptions): LiveConfig {
  return new FollowedConfig(options);
}

class FollowedConfig implements LiveConfig {
  readonly events = new Emitter<LiveConfigEvents>({
    'new-servers': true,
    change: true,
    'stop-failures': true,
    problem: true,
  });
  readonly #options: LiveConfigOptions;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  readonly #watch: ConfigWatch;
  readonly #following: Promise<void>;
  readonly #listening: Disposable;
  #readAt = Date.now();
  #problem: ConfigProblem | undefined;
  /** A command has read the files after the last item. */
  #isReadSince = false;
  #unreported: ReloadReport = nothingChanged;
  #starting: ReadonlySet<string>;

  constructor(options: LiveConfigOptions) {
    const { stack, io } = options;
    this.#options = options;
    this.#signal = AbortSignal.any([this.#ended.signal, io.signal]);
    this.#starting = new Set(this.#automatic());
    this.#watch = options.watch ?? watchFiles(stack.source, io);
    this.#listening = stack.manager.events.on('servers-changed', () => this.#switched());
    this.#following = this.#follow().catch((error: unknown) => this.#refuse(this.#messageOf(error)));
  }

  get problem(): ConfigProblem | undefined {
    return this.#problem;
  }

  get readAt(): number {
    return this.#readAt;
  }

  async settled(): Promise<void> {
    await within(this.#watch.settled(), settleMs);
  }

  async reload({ trust }: { readonly trust?: boolean | undefined } = {}): Promise<ReloadReport> {
    this.#signal.throwIfAborted();
    this.#isReadSince = true;
    try {
      await this.#apply({ trust: trust ?? false });
    } catch (error) {
      this.#refuse(this.#messageOf(error));
      throw error;
    }
    const report = this.#unreported;
    this.#unreported = nothingChanged;
    return report;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort(new Error('The files are no longer watched.'));
    this.#listening[Symbol.dispose]();
    await this.#watch[Symbol.asyncDispose]();
    await this.#following;
  }

  async #follow(): Promise<void> {
    // If the stack was opened before, the first item covers edits since then.
    for await (const change of this.#watch) {
      await this.#take(change);
      this.#isReadSince = false;
    }
  }

  async #take({ isChanged, isCurrent, config, issues, error, redactor }: ConfigChange): Promise<void> {
    if (!isChanged && !(isCurrent && this.#problem)) return this.#readTrust();
    if (!isCurrent) return this.#refuse(redactor.redact(reasonIn(issues) ?? this.#messageOf(error)));
    // Calls of changed servers may take long to finish. The rest is in effect before.
    await new Promise<void>((resolve) => {
      void this.#apply({ config: this.#isReadSince ? undefined : config }, resolve)
        .catch((cause: unknown) => this.#refuse(this.#messageOf(cause)))
        .finally(resolve);
    });
  }

  async #apply(
    { trust, config }: Pick<Parameters<Stack['reload']>[0] & object, 'trust' | 'config'>,
    onSwitched: () => void = () => undefined,
  ): Promise<void> {
    const { stack } = this.#options;
    const held = this.#automatic().filter((name) => stack.waitsForConsent(name));
    const switched = (report: ReloadReport): void => {
      this.#switched();
      // An earlier edit could not start these.
      const freed = this.#automatic().filter((name) => held.includes(name) && !stack.waitsForConsent(name));
      if (freed.length > 0 && !this.#signal.aborted) this.events.emit('new-servers', freed);
      const touched = [...report.added, ...report.updated, ...report.restarted];
      const waiting = touched.filter((name) => stack.waitsForConsent(name));
      this.#changed({ report, waiting }, { isRequested: trust !== undefined });
      onSwitched();
    };
    const { failures } = await stack.reload({ trust: trust ?? false, config, onSwitched: switched });
    const failed = failures.map(({ server }) => server);
    if (failed.length > 0 && !this.#signal.aborted) this.events.emit('stop-failures', failed);
  }

  async #readTrust(): Promise<void> {
    try {
      const report = { ...nothingChanged, trust: await this.#options.stack.reloadTrust() };
      this.#changed({ report, waiting: [] }, { isRequested: false });
    } catch (error) {
      this.#report({ message: this.#messageOf(error), readAt: this.#readAt });
    }
  }

  #changed(change: AppliedChange, { isRequested }: { readonly isRequested: boolean }): void {
    const { report } = change;
    this.#unreported = combineReports(this.#unreported, report);
    if (this.#signal.aborted || (isUnchanged(report) && !isRequested)) return;
    this.events.emit('change', change);
  }

  /** The manager has the servers of the present config. */
  #switched(): void {
    this.#readAt = Date.now();
    this.#problem = undefined;
    const names = this.#automatic();
    const fresh = names.filter((name) => !this.#starting.has(name));
    this.#starting = new Set(names);
    if (fresh.length > 0 && !this.#signal.aborted) this.events.emit('new-servers', fresh);
  }

  #automatic(): readonly string[] {
    const { stack } = this.#options;
    const servers = stack.manager.servers();
    return servers.flatMap(({ name, status }) => (startsAutomatically(status) && stack.runsHere(name) ? [name] : []));
  }

  #refuse(message: string): void {
    this.#problem = { message, readAt: this.#readAt };
    this.#report(this.#problem);
  }

  #report(problem: ConfigProblem): void {
    if (!this.#signal.aborted) this.events.emit('problem', problem);
  }

  #messageOf(error: unknown): string {
    const { redactor } = this.#options.stack;
    const reason = isConfigError(error) ? reasonIn(error.issues as readonly ConfigIssue[]) : undefined;
    return reason === undefined ? toControlError(error, redactor).message : redactor.redact(reason);
  }
}
