import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { CommandError, type CommonOptions, type ExitCode, exitCodes, type Io, UsageError } from '../command.js';
import { absoluteNames } from '../config/config-names.js';
import { nothingChanged } from '../config/reload-report.js';
import { noteUnusedFiles } from '../config/unused-files.js';
import { obtainConsent, trustsEverything, withTrustedStarts } from '../consent/obtain-consent.js';
import type { DaemonControl } from '../control/control.js';
import { ControlError, controlErrorFrom } from '../control/control-error.js';
import type { DaemonInfo, ReloadReport } from '../control/reports.js';
import { endDaemon } from '../daemon/end-daemon.js';
import { ensureDaemon } from '../daemon/ensure-daemon.js';
import { locateDaemon } from '../daemon/locate-daemon.js';
import { runDaemon } from '../daemon/parent/run-daemon.js';
import type { DaemonArguments, StartReport } from '../daemon/process-messages.js';
import { refreshLauncher } from '../host-apps/launcher.js';
import { changesText } from '../output/changes-text.js';
import { fit, printNote } from '../output/fit.js';
import { printable, printableLine, printJson } from '../output/print.js';
import { refuseNesting } from '../servers/gateway-depth.js';
import { startsAutomatically } from '../servers/server-rows.js';
import { exitCodeOf, namesOf, printFailures, startReported } from '../servers/start-servers.js';
import { defaultMetricsPort } from '../serving/fixed-paths.js';
import { readTokenFile } from '../serving/token-file.js';

export interface UpOptions extends CommonOptions {
  /** Empty: every server with `auto_start`. */
  readonly servers: readonly string[];
  readonly foreground?: boolean;
  /** Minutes without use after which the daemon ends. Default: never. */
  readonly idleExit?: number;
  readonly metricsTokenFile?: string;
  readonly metricsPort?: number;
}

/**
 * Brings the daemon to the present config, and starts it if necessary: servers that are gone are stopped, changed ones
 * restarted, missing ones started.
 */
export async function up(options: UpOptions, io: Io): Promise<ExitCode> {
  const { servers, config, json } = options;
  const metrics = await metricsAsked(options, io);
  await refreshLauncher(io);
  noteUnusedFiles(config, io);
  await obtainConsent({ ...options, servers: servers.length > 0 ? servers : undefined }, io);
  if (options.foreground) return upInForeground({ ...options, metrics }, io);
  let isNew = false;
  const onStarted = (): void => {
    isNew = true;
  };
  const daemonOptions = { config, idleExitMs: idleExitMs(options), metrics, onStarted };
  await using control = withTrustedStarts(await ensureDaemon(daemonOptions, io), io);
  if (metrics !== undefined) requireServed(metrics, (await control.daemonInfo({ signal: io.signal }))?.metrics);
  const changes = isNew ? nothingChanged : await bringUpToDate(control, options, io);
  if (!json) io.stdout.write(changesText(changes));
  const named = servers.length > 0 ? servers : undefined;
  const outcomes = await startReported(
    control,
    {
      ...options,
      servers: named ?? (await namesOf(control, startsAutomatically, io)),
      done: 'is up',
      run: (onStep) => control.start({ servers: named, signal: io.signal, onStep }),
    },
    io,
  );
  const daemon = await control.daemonInfo({ signal: io.signal });
  if (json) {
    printJson({ daemon, changes, servers: outcomes }, io);
    return exitCodeOf(outcomes);
  }
  const text = `The daemon runs as process ${daemon?.pid}. "mcpx down" stops it and its servers.\n`;
  io.stdout.write(fit(text, io.stdout));
  if (daemon?.metrics !== undefined) io.stdout.write(`Metrics are at ${daemon.metrics.url}\n`);
  if (outcomes.length === 0) {
    const [first] = await namesOf(control, ({ disabled }) => !disabled, io);
    const advice = first === undefined ? '' : ` Run "mcpx start ${printableLine(first, 60)}" to start one.`;
    printNote(`No server has auto_start.${advice}`, io);
  }
  printFailures(outcomes, io);
  return exitCodeOf(outcomes);
}

/** `mcpx serve` may have started the daemon, with another idle time, and its config may be older. */
async function bringUpToDate(control: DaemonControl, options: UpOptions, { env, signal }: Io): Promise<ReloadReport> {
  await control.setIdleExit({ idleExitMs: idleExitMs(options), signal });
  return control.reload({ trust: trustsEverything(env) || undefined, signal });
}

/** This process becomes the daemon until it is interrupted. */
async function upInForeground(options: UpOptions & Pick<DaemonArguments, 'metrics'>, io: Io): Promise<ExitCode> {
  const { cwd, env, stateDirectory, signal, daemonPrograms } = io;
  refuseNesting(env, 'gateway');
  const [command, ...args] = daemonPrograms?.worker ?? [];
  if (command === undefined) {
    throw new ControlError('daemon-start-failed', 'This program cannot run a daemon.', {
      hint: 'Use the command mcpx, or pass "daemonPrograms" to run().',
    });
  }
  let report: StartReport | undefined;
  const daemon = runDaemon({
    arguments: {
      id: locateDaemon(options, io).paths.id,
      cwd,
      config: absoluteNames(options.config, cwd),
      stateDirectory,
      idleExitMs: idleExitMs(options),
      metrics: options.metrics,
    },
    version: packageJson.version,
    env,
    servers: options.servers.length > 0 ? options.servers : 'auto',
    // Its own session shields the worker from the terminal's Ctrl-C; this process forwards it in an orderly way.
    startWorker: (words) =>
      spawn(command, [...args, ...words], {
        detached: true,
        env: { ...env },
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      }),
    report: (startReport) => {
      report = startReport;
      if (startReport.status === 'ready') printNote('The daemon is ready. Ctrl-C stops it and its servers.', io);
    },
    onLogLine: (line) => io.stderr.write(`${printable(line)}\n`),
  });
  const end = (): void => daemon.end();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  await daemon.finished;
  signal.removeEventListener('abort', end);
  if (report?.status === 'failed' && !signal.aborted) throw controlErrorFrom(report.error);
  if (report?.status === 'held') {
    throw new ControlError('daemon-start-failed', 'The daemon of this config is already running.', {
      hint: 'Run "mcpx down" first, or omit --foreground.',
    });
  }
  return exitCodes.ok;
}

/** @throws {UsageError} The token file is missing or invalid. */
async function metricsAsked(
  { metricsTokenFile, metricsPort }: UpOptions,
  { cwd }: Io,
): Promise<DaemonArguments['metrics']> {
  if (metricsTokenFile === undefined) {
    if (metricsPort === undefined) return undefined;
    throw new UsageError('--metrics-port requires --metrics-token-file.', {
      hint: 'The metrics contain names of servers and tools, so that scrapers need a token.',
    });
  }
  const tokenFile = resolve(cwd, metricsTokenFile);
  await readTokenFile(tokenFile);
  return { port: metricsPort ?? defaultMetricsPort, tokenFile };
}

/** @throws {CommandError} The daemon was running before, without these metrics. */
function requireServed(
  { port, tokenFile }: NonNullable<DaemonArguments['metrics']>,
  served: DaemonInfo['metrics'],
): void {
  const isServed = served?.tokenFile === tokenFile && (port === 0 || Number(new URL(served.url).port) === port);
  if (isServed) return;
  const others = served === undefined ? 'without metrics' : `with metrics at ${served.url}`;
  throw new CommandError(exitCodes.failed, `The daemon is already running, ${others}.`, {
    hint: 'Run "mcpx down" first, and then this command again.',
  });
}

function idleExitMs({ idleExit }: UpOptions): number | undefined {
  return idleExit === undefined ? undefined : idleExit * 60_000;
}

export async function down(options: CommonOptions & { readonly now?: boolean }, io: Io): Promise<ExitCode> {
  const pid = await endDaemon(options, io);
  if (options.json) printJson({ stopped: pid !== undefined, pid }, io);
  else
    io.stdout.write(
      pid === undefined ? 'No daemon is running for this config.\n' : `The daemon (process ${pid}) has ended.\n`,
    );
  return exitCodes.ok;
}
