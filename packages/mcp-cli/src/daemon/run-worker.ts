import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { singleClientCapabilities as capabilities } from '@x/internal/client-capabilities';
import { fileVersion } from '@x/internal/files';
import { type ClientManager, preload } from '@x/mcp-client-manager';
import type { ConfigWatch } from '@x/mcp-config-schema/load';
import { preload as preloadRegistry } from '@x/mcp-registry';
import type { AuditSink } from '@x/mcp-registry/audit';
import packageJson from '../../package.json' with { type: 'json' };
import type { Io } from '../command.js';
import { openStack, type Stack, servedCallTimeoutMs } from '../compose.js';
import { problemLine } from '../config/config-problem.js';
import { configSource } from '../config/config-source.js';
import { followConfig, type LiveConfig, watchFiles } from '../config/live-config.js';
import type { Control, DaemonControl } from '../control/control.js';
import { controlBase } from '../control/control-base.js';
import { type ControlErrorData, controlErrorData } from '../control/control-error.js';
import { createLocalControl } from '../control/local-control.js';
import type { DaemonInfo, ReloadReport } from '../control/reports.js';
import { toControlError } from '../control/to-control-error.js';
import { CallHistory } from '../dashboard/call-history.js';
import { CallRecords } from '../dashboard/call-records.js';
import { configHandlers } from '../dashboard/config-handlers.js';
import { lazyDashboard } from '../dashboard/lazy-dashboard.js';
import { createRecorder } from '../dashboard/recorder.js';
import { UsageStore } from '../dashboard/usage-store.js';
import { Attendants } from '../elicitation/attendants.js';
import { FleetMember } from '../fleet/fleet-member.js';
import { daemonServerLogs } from '../open-control.js';
import type { MetricsServerOptions } from '../serving/metrics-server.js';
import { ByteStreams } from './connection/byte-streams.js';
import { newToken, protocolNumber } from './connection/protocol.js';
import { serveControl } from './connection/serve-control.js';
import { daemonControl } from './daemon-control.js';
import { DaemonTelemetry } from './daemon-telemetry.js';
import type { FromWorker, ToWorker } from './process-messages.js';
import { logServerEvents } from './server-events.js';
import { Servings } from './servings.js';

/** Time for servers to stop before the worker exits, in milliseconds. */
const drainMs = 20_000;

interface WorkerOptions {
  readonly config: readonly string[] | undefined;
  readonly io: Pick<Io, 'cwd' | 'env' | 'stateDirectory' | 'keyStore'>;
  readonly socket: string;
  readonly servers: readonly string[] | 'auto';
  /** Keys of launches with consent. Default: `MCPX_TRUST` decides for the current config. */
  readonly trusted?: readonly string[] | undefined;
  /** Idle time after which the worker ends, in milliseconds; `undefined`: never. */
  readonly idleExitMs: number | undefined;
  readonly metrics: MetricsServerOptions | undefined;
  readonly facts: { readonly parentPid: number; readonly pid: number; readonly logFile: string; memoryBytes(): number };
  /** File with the membership of a fleet. */
  readonly membershipFile: string | undefined;
  /** Page of the dashboard. */
  readonly pageDirectory: string;
  readonly send: (message: FromWorker) => void;
  readonly log: (line: string) => void;
}

export interface Worker {
  receive(message: Exclude<ToWorker, { type: 'begin' | 'end' }>): void;
  /** Redacts secrets of the servers. */
  redact(text: string): string;
  /** Resolves when every server is gone. */
  readonly finished: Promise<void>;
}

/** Owns the servers and serves commands until it receives `drain`. */
export function startWorker(options: WorkerOptions): Worker {
  const draining = new AbortController();
  let opened: Opened | undefined;
  return {
    receive: ({ type }) => {
      if (type === 'drain') draining.abort(new Error('a signal requested it'));
      else opened?.control.reload().catch(() => undefined); // the log contains the failure
    },
    redact: (text) => opened?.stack.redactor.redact(text) ?? text,
    finished: run(options, draining, (parts) => {
      opened = parts;
    }),
  };
}

interface Opened {
  readonly stack: Stack;
  readonly control: DaemonControl;
}

async function run(
  options: WorkerOptions,
  draining: AbortController,
  onOpened: (parts: Opened) => void,
): Promise<void> {
  const calls = new CallHistory();
  await using telemetry = new DaemonTelemetry({ env: options.io.env, log: options.log });
  const io = { ...options.io, signal: draining.signal };
  const source = configSource(options.config, io);
  await using watch = watchFiles(source, io);
  let stack: Stack;
  const recording = new CallRecords(() => stack.redactor);
  try {
    const logDirectory = daemonServerLogs(options.facts.logFile);
    const { trusted } = options;
    await telemetry.start(options.metrics);
    // Clients may come later.
    const callTimeoutMs = servedCallTimeoutMs;
    // Calls do not wait for the history.
    const audit: AuditSink = (event) => void setImmediate(calls.sink, event);
    const given = { source, watch, trusted, logDirectory, capabilities, callTimeoutMs, audit };
    const recorded = { telemetry: recording.timing(telemetry.late), interceptors: [recording.interceptor] };
    stack = await openStack({ ...given, ...recorded, startsEager: true, holdsCalls: true }, io);
  } catch (error) {
    if (!draining.signal.aborted) options.send({ type: 'failed', error: unredactedFailure(error) });
    return;
  }
  await serve({ stack, watch, calls, recording, telemetry }, options, draining, onOpened);
}

interface Served {
  readonly stack: Stack;
  readonly watch: ConfigWatch;
  readonly calls: CallHistory;
  readonly recording: CallRecords;
  readonly telemetry: DaemonTelemetry;
}

async function serve(
  { stack, watch, calls, recording, telemetry }: Served,
  options: WorkerOptions,
  draining: AbortController,
  onOpened: (parts: Opened) => void,
): Promise<void> {
  const { config, io, socket, send, log, pageDirectory } = options;
  const redactor = { redact: (text: string) => stack.redactor.redact(text) };
  const member = new FleetMember({ stack, file: options.membershipFile, log: (line) => log(redactor.redact(line)) });
  await using live = liveConfig({ stack, watch }, options, draining.signal);
  using usage = new UsageStore(calls);
  await using local = localControl({ stack, member, live, recording, telemetry, usage }, options);
  await using _member = member; // ends before its servers
  await member.resume();
  using recorder = createRecorder({
    control: local,
    calls,
    recording,
    approvals: { list: () => local.approvals(), onChange: (listener) => stack.approvals.onChange(listener) },
  });
  await using dashboard = lazyDashboard({ control: local, stack, recorder, configFiles: config, io, pageDirectory });
  const reportTrusted = (): void => send({ type: 'trusted', keys: stack.trustedNow });
  reportTrusted();
  let { idleExitMs } = options;
  const setIdleExit = (ms: number | undefined): void => {
    idleExitMs = ms;
    send({ type: 'idle-exit', idleExit: ms === undefined ? {} : { ms } });
  };
  const streams = new ByteStreams();
  const attendants = new Attendants({ approvals: stack.approvals, base: controlBase(stack) });
  const servings = new Servings({ stack, live, attendants, telemetry, streams, io, draining: draining.signal });
  const control = daemonControl(
    { local, stack, calls, live, member, dashboard, servings, attendants },
    { draining, setIdleExit, onTrusted: reportTrusted },
  );
  onOpened({ stack, control });
  const token = newToken();
  const about = { version: packageJson.version, redactor, settled: () => live.settled(), notice: () => noticeOf(live) };
  await using server = await serveControl(control, { socket, token, streams, ...about });
  using _events = logServerEvents(stack, log);
  using _running = reportRunning(stack.manager, (names) => send({ type: 'running', servers: names }));
  using _idle = watchIdle(() => idleExitMs, {
    isBusy: () =>
      server.connections > 0 ||
      dashboard.readers > 0 ||
      member.report !== undefined || // other nodes may call
      stack.manager.status().some((row) => row.callsInFlight + row.callsQueued > 0),
    onIdle: () => draining.abort(new Error('the daemon was idle for too long')),
  });
  send({ type: 'ready', socket, token });
  log(`ready, process ${options.facts.pid}`);
  startServers(control, stack, options, draining.signal);
  const loading = loadRest(
    { wasReached: () => server.wasReached, isBusy: () => server.requests > servings.count },
    log,
  );
  await Promise.race([aborted(draining.signal), loading.then(() => aborted(draining.signal))]);
  send({ type: 'leaving' });
  log(`leaving: ${draining.signal.reason instanceof Error ? draining.signal.reason.message : 'requested'}`);
  await server.stopListening();
  const stopped = stack.manager.stop().then(() => undefined, String);
  const problems = await Promise.race([servings.over().then(() => stopped), timeLimit(drainMs)]);
  if (problems !== undefined) log(`not every server has ended: ${redactor.redact(problems)}`);
}

function liveConfig(
  { stack, watch }: Pick<Served, 'stack' | 'watch'>,
  { log }: WorkerOptions,
  signal: AbortSignal,
): LiveConfig {
  const live = followConfig({ stack, watch, io: { signal } });
  live.events.on('new-servers', (servers) => startInBackground(stack, servers, signal));
  live.events.on('change', ({ report, waiting }) => {
    log(`the config was read again: ${changesIn(report) || 'nothing has changed'}`);
    for (const server of waiting) log(`"${server}" waits for your consent: run "mcpx trust"`);
  });
  live.events.on('stop-failures', (servers) => {
    for (const server of servers) log(`"${server}" could not be stopped`);
  });
  live.events.on('problem', (problem) => log(`the config is unchanged: ${problemLine(problem, 'the daemon')}`));
  return live;
}

function noticeOf({ problem }: LiveConfig): string | undefined {
  return problem && problemLine(problem, 'the daemon');
}

/** Failures appear in the status of the servers. */
function startInBackground({ manager }: Stack, servers: readonly string[], signal: AbortSignal): void {
  for (const name of servers)
    manager
      .server(name)
      .start({ signal })
      .catch(() => undefined);
}

/** Failures appear in the status of the servers. */
function startServers(control: Control, { manager }: Stack, { servers }: WorkerOptions, signal: AbortSignal): void {
  const known = new Set(manager.servers().map(({ name }) => name));
  const wanted = servers === 'auto' ? undefined : servers.filter((name) => known.has(name));
  if (servers === 'auto' || servers.length > 0) control.start({ servers: wanted, signal }).catch(() => undefined);
}

interface LocalParts {
  readonly usage: UsageStore;
  readonly member: FleetMember;
  readonly live: LiveConfig;
}

function localControl(
  { stack, member, live, recording, telemetry, usage }: Omit<Served, 'calls' | 'watch'> & LocalParts,
  { config: files, io, facts }: WorkerOptions,
): Control {
  const startedAt = Date.now();
  const daemonInfo = (): DaemonInfo => ({
    version: packageJson.version,
    protocol: protocolNumber,
    pid: facts.parentPid,
    workerPid: facts.pid,
    startedAt,
    configFiles: stack.config.files.map((file) => resolve(io.cwd, file)),
    configReadAt: live.readAt,
    configProblem: live.problem?.message,
    logFile: facts.logFile,
    ...(telemetry.served && { metrics: telemetry.served }),
    memoryBytes: facts.memoryBytes(),
  });
  const logDirectory = daemonServerLogs(facts.logFile);
  return createLocalControl(stack, {
    daemonInfo,
    recording,
    config: configHandlers({ stack, files, io, settled: () => live.settled().then(() => live.problem?.message) }),
    fleetReport: () => member.report,
    logDirectory,
    usage,
  });
}

function changesIn({ roles, trust, settings, kept: _kept, ...servers }: ReloadReport): string {
  const named = Object.entries(servers).flatMap(([effect, names]) =>
    names.length === 0 ? [] : [`${effect} ${names.map((name: string) => `"${name}"`).join(', ')}`],
  );
  const rules = roles.map((role) => `changed the role "${role}"`);
  return [...named, ...rules, ...(trust ? ['changed trust'] : []), ...(settings ? ['changed settings'] : [])].join(
    '; ',
  );
}

/** No secret is known before the config is read, and errors of the config contain no values. */
function unredactedFailure(error: unknown): ControlErrorData {
  return controlErrorData(toControlError(error, { redact: (text) => text }));
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function timeLimit(ms: number): Promise<string> {
  return new Promise((resolve) => setTimeout(() => resolve(`${ms} ms have passed`), ms).unref());
}

/** Checks per idle time; the daemon may end later by one check interval. */
const checks = 10;
const minCheckMs = 20;
const maxCheckMs = 60_000;

interface IdleWatch {
  isBusy(): boolean;
  onIdle(): void;
}

/** Calls `onIdle` after `idleMs()` without activity; not while that is undefined. */
function watchIdle(idleMs: () => number | undefined, { isBusy, onIdle }: IdleWatch): Disposable {
  let busyAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const watch = (): void => {
    const ms = idleMs();
    timer = setTimeout(check, Math.min(Math.max((ms ?? maxCheckMs) / checks, minCheckMs), maxCheckMs));
  };
  const check = (): void => {
    const ms = idleMs();
    if (isBusy() || ms === undefined) busyAt = performance.now();
    else if (performance.now() - busyAt >= ms) onIdle();
    watch();
  };
  watch();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/**
 * Time without a request before the rest of the program is loaded, and the longest wait for it, in milliseconds. Loading
 * takes more processor time than the worker's start, which a daemon that soon ends again does not spend.
 */
const quietMs = 2_000;
const maxWaitMs = 20_000;

/**
 * Loads the rest of the program when the first commands have ended.
 *
 * @throws {Error} An update has replaced the program before. The parent starts a worker of the new one.
 */
async function loadRest(activity: Activity, log: (line: string) => void): Promise<void> {
  const own = fileURLToPath(import.meta.url);
  const version = await fileVersion(own);
  await untilQuiet(activity);
  try {
    await preloadModules();
    log('the whole program is loaded');
  } catch (cause) {
    log(`the whole program could not be loaded: ${String(cause)}`);
    if ((await fileVersion(own)) !== version) throw new Error('the program was replaced or removed', { cause });
  }
}

interface Activity {
  /** True once a command has connected, also when it is gone by now. */
  wasReached(): boolean;
  /** Requests other than those of attached clients, which last. */
  isBusy(): boolean;
}

/**
 * Resolves when the first commands no longer need the processor: loading the rest would delay the servers that they
 * start. The command that started the daemon may need long to connect, so the quiet begins with a connection.
 */
async function untilQuiet({ wasReached, isBusy }: Activity): Promise<void> {
  const startedAt = performance.now();
  let busyAt: number | undefined;
  for (let now = startedAt; now - (busyAt ?? now) < quietMs && now - startedAt < maxWaitMs; now = performance.now()) {
    if (isBusy() || (busyAt === undefined && wasReached())) busyAt = now;
    await pause(quietMs / 10, undefined, { ref: false });
  }
}

/**
 * Loads all lazily imported modules, because an update may remove the program's files while the daemon runs. Starts with
 * those that every server needs. Only the code of a fleet is left out: it takes 2 MB, and is there once a fleet is joined.
 */
async function preloadModules(): Promise<void> {
  await Promise.all([preload(), preloadRegistry()]);
  await import('../serving/serve-daemon-stack.js').then((serving) => serving.preload());
  await Promise.all([
    import('../dashboard/dashboard.js'),
    import('../dashboard/config-report.js'),
    import('../dashboard/config-files.js'),
    import('../dashboard/editing/server-edit.js'),
    import('../dashboard/editing/edit-undo.js'),
    import('../dashboard/server-config.js'),
    import('../host-apps/host-texts.js'),
    import('../servers/installed.js'),
    import('../serving/metrics-server.js'),
    import('../telemetry/open-telemetry.js'),
  ]);
  await import('@x/mcp-registry/interceptors').then((interceptors) => interceptors.preload());
  // Secrets and sign-ins use it later. Some platforms have no build of it.
  await import('@napi-rs/keyring').catch(() => undefined);
}

/** Reports the running and starting servers after each change of that list. */
function reportRunning(manager: ClientManager, report: (servers: readonly string[]) => void): Disposable {
  let last = '[]';
  return manager.events.on('server-state', () => {
    const running = manager.status().filter(({ state }) => state !== 'stopped' && state !== 'stopping');
    const servers = running.map(({ name }) => name);
    const now = JSON.stringify(servers);
    if (now === last) return;
    last = now;
    report(servers);
  });
}
