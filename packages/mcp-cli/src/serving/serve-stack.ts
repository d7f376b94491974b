import { resolve } from 'node:path';
import { isGatewayServer, startsRemoteGateway } from '@x/internal/launch';
import {
  type ClientManager,
  isManagerError,
  type ManagedServer,
  type ManagerError,
  type StartOutcome,
} from '@x/mcp-client-manager';
import {
  createGateway,
  type ElicitationFallback,
  type Gateway,
  type GatewayOptions,
  type NamedCollision,
} from '@x/mcp-gateway';
import { isRegistryError, type RegistryView } from '@x/mcp-registry';
import type { CodeRunner } from '@x/mcp-registry/code';
import { compileRole } from '@x/mcp-registry/roles';
import packageJson from '../../package.json' with { type: 'json' };
import { CommandError, type ExitCode, exitCodes, type Io } from '../command.js';
import type { Stack } from '../compose.js';
import { type ConfigProblem, problemLine } from '../config/config-problem.js';
import type { AppliedChange, LiveConfig } from '../config/live-config.js';
import { requireRole } from '../config/role-view.js';
import { trustHint } from '../control/control-error.js';
import { printNote } from '../output/fit.js';
import { showSteps } from '../output/live/start-steps.js';
import { printable, printableLine } from '../output/print.js';
import { startsAutomatically } from '../servers/server-rows.js';
import type { PrometheusMetrics } from '../telemetry/prometheus-metrics.js';
import { type Access, openAccess } from './access.js';
import { followTokens } from './follow-tokens.js';
import type { HttpPlan } from './http-plan.js';
import { announce, collisionError, collisionProblem, type ProblemLines, problemLines } from './messages.js';
import { ratesByName } from './rate-limit.js';
import { serveHttp } from './serve-http.js';
import type { ServeOptions } from './serve-options.js';
import { serveStdio } from './serve-stdio.js';
import { readTlsFiles } from './tls-files.js';
import { readTokenFile } from './token-file.js';

/** Longest wait of a client's first request for slow servers, in milliseconds. */
const startGraceMs = 5_000;
/** Below the 30 seconds after which Kubernetes and systemd units of this project kill. */
const defaultDrainSeconds = 20;

/** The servers that are served: those of this process, or of the daemon. */
export interface ServedStack extends Pick<Stack, 'config' | 'redactor' | 'waitsForConsent' | 'runsHere'> {
  readonly manager: Pick<ClientManager, 'servers' | 'server' | 'events' | 'sendHeaders'>;
  readonly registry: GatewayOptions['registry'] & Pick<RegistryView, 'list'>;
}

/** What reports spans and metrics of a gateway. */
export interface Observed {
  readonly telemetry: GatewayOptions['telemetry'];
  /** Those of `--metrics-token-file`. */
  metrics(): Promise<PrometheusMetrics | undefined>;
}

interface ServingParts {
  readonly stack: ServedStack;
  readonly options: ServeOptions;
  readonly plan: HttpPlan | undefined;
  /** The files of `stack`. */
  readonly live: LiveConfig;
  readonly observed?: Observed | undefined;
  /** Answers for clients that do not support elicitation. */
  readonly attendants?: ElicitationFallback | undefined;
  /** Resolves when servers of other processes are known, if there are any. */
  readonly others?: Promise<unknown> | undefined;
  /** Receives the function that reports failures, once it exists. */
  readonly onReporting?: ((report: (error: Error) => void) => void) | undefined;
}

/**
 * Serves all tools as one MCP server, over stdio until stdin ends, or over HTTP until interrupted. Slow servers join
 * later, with list-changed notifications.
 */
export async function serveStack(parts: ServingParts, io: Io): Promise<ExitCode> {
  const { stack, live, options, plan, observed, attendants, others, onReporting } = parts;
  const onProblem = (problem: ConfigProblem) => printNote(`warning: ${problemLine(problem, 'this gateway')}`, io);
  using _changes = live.events.on('change', (change) => io.stderr.write(changedText(change, options)));
  using _problems = live.events.on('problem', onProblem);
  checkNames(options, stack);
  requireConsent(options, stack, io);
  warnAboutGateways(options, stack, io);
  warnAboutManual(options, stack, io);
  const http = plan && (await openHttp(plan, stack, { ...options, observed }, io));
  await using code = options.code === true ? await openCode() : undefined;
  const lines = linesFor(stack, options, io, http?.access);
  onReporting?.(lines.onError);
  using _steps = showSteps(stack, io, { isVerbose: options.verbose ?? false });
  await using gateway = gatewayOver(stack, { ...options, code, observed, attendants }, lines);
  using tokens = followTokens(http?.access.tokens, { live, stack, onProblem });
  using _hangup = io.onHangup?.(() => void reloadAll(live, tokens));
  const start = async (signal: AbortSignal) => {
    await Promise.all([others && Promise.race([others, graceEnd(startGraceMs)]), startOwn(signal)]);
    warnAboutUnmatched(options, stack, io);
  };
  const settled: Promise<unknown>[] = [];
  const onStarting = (starting: Promise<unknown>) => void settled.push(starting);
  using _new = live.events.on('new-servers', (names) =>
    onStarting(startNew(names, stack, gateway, { options, lines, signal: io.signal })),
  );
  const startOwn = (signal: AbortSignal) => startAll(stack, gateway, { options, lines, signal, onStarting });
  io.leaveUnread?.();
  const drainMs = (options.drain ?? defaultDrainSeconds) * 1_000;
  if (http === undefined) return await serveStdio(gateway, { role: options.role, drainMs, start }, io);

  const onListening = (url: string) =>
    announce({ url, servers: servedNow(stack), kept: http.access.kept, json: options.json ?? false }, io);
  const whenSettled = () => Promise.allSettled(settled);
  return await serveHttp(gateway, { ...http, drainMs, start, whenSettled, onListening, onError: lines.onError }, io);
}

/** A misspelt pattern would let calls run without a question. */
function warnAboutUnmatched({ askBefore = [] }: ServeOptions, { registry, manager }: ServedStack, io: Io): void {
  const allowedTools = manager.servers().map(({ name }) => name);
  for (const pattern of askBefore) {
    if (pattern === 'destructive') continue;
    const policy = compileRole([{ role: 'asked', allowedTools, deniedTools: [pattern] }], 'asked', allowedTools);
    if (registry.list().some((tool) => tool.server !== undefined && !policy(tool).isAllowed)) continue;
    printNote(`warning: --ask-before ${printableLine(pattern, 200)} matches none of the tools that are known now.`, io);
  }
}

/** The reader of `live` reports a failure. */
async function reloadAll(live: LiveConfig, tokens: { reload(): Promise<void> }): Promise<void> {
  await live.reload().catch(() => undefined);
  await tokens.reload();
}

function changedText({ report, waiting }: AppliedChange, { servers: named }: ServeOptions): string {
  const isServed = (name: string): boolean => named.length === 0 || named.includes(name);
  const rules = [...report.roles.map((role) => `role "${role}"`), ...(report.trust ? ['trust'] : [])];
  const changed = (['added', 'removed', 'updated', 'restarted'] as const).flatMap((effect) => {
    const names = report[effect].filter(isServed);
    return names.length === 0 ? [] : [`${effect} ${names.join(', ')}`];
  });
  const unserved = waiting.filter(isServed);
  const lines = [
    ...(rules.length > 0 ? [`Rules have changed: ${rules.join(', ')}.`] : []),
    ...(changed.length > 0 ? [`Servers have changed: ${changed.join('; ')}.`] : []),
    ...(unserved.length > 0 ? [`warning: ${consentNeeded(unserved)} They are not served. ${trustHint}`] : []),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

/** @throws {UsageError | ManagerError} An option names an unknown role or server. */
function checkNames({ role, limitRole = [], limitServer = [] }: ServeOptions, { config, manager }: ServedStack): void {
  if (role !== undefined) requireRole(config, role);
  for (const { name } of limitRole) requireRole(config, name);
  for (const { name } of limitServer) manager.server(name);
}

/** @see docs/errors/own-gateway.md */
function warnAboutGateways({ names }: ServeOptions, { config }: ServedStack, io: Io): void {
  for (const { name } of config.servers.filter(isGatewayServer))
    printNote(`warning: ${printable(name)} is skipped: it is a gateway of mcpx and would start itself.`, io);
  if (names !== 'nested') return;
  for (const { name } of config.servers.filter(startsRemoteGateway))
    printNote(`warning: ${printable(name)} is skipped: a nested gateway starts no gateways of other machines.`, io);
}

/**
 * Warns about servers without consent.
 *
 * @throws {CommandError} No server has consent.
 */
function requireConsent(options: ServeOptions, stack: ServedStack, io: Io): void {
  const wanted = wantedOf(options, stack);
  const waiting = wanted.filter(({ name }) => stack.waitsForConsent(name));
  if (waiting.length === 0) return;
  const message = consentNeeded(waiting.map(({ name }) => name));
  if (waiting.length === wanted.length) throw new CommandError(exitCodes.config, message, { hint: trustHint });
  printNote(`warning: ${message} They are not served. ${trustHint}`, io);
}

function consentNeeded(servers: readonly string[]): string {
  return `These servers need your consent: ${printableLine(servers.join(', '), 500)}.`;
}

/** A client cannot find out why servers without `auto_start` offer nothing. */
function warnAboutManual({ servers }: ServeOptions, { manager }: ServedStack, io: Io): void {
  const disabled = manager.servers().filter(({ status }) => status.disabled);
  if (disabled.length > 0) printNote(`Not served, because they are disabled: ${printable(namesOf(disabled))}.`, io);
  if (servers.length > 0) return;
  const manual = manager.servers().filter(({ status }) => !status.autoStart && !status.disabled);
  if (manual.length === 0) return;
  const names = printable(namesOf(manual));
  printNote(
    `Not started, because they have no auto_start: ${names}. Run "mcpx serve ${manual[0]?.name}" to serve one.`,
    io,
  );
}

/** Servers that serving starts. */
function wantedOf({ servers: named }: ServeOptions, stack: ServedStack): readonly ManagedServer[] {
  const isWanted = named.length > 0 ? ({ disabled }: ManagedServer['status']) => !disabled : startsAutomatically;
  return stack.manager.servers().filter(({ name, status }) => isWanted(status) && stack.runsHere(name));
}

/** Servers that are up or on their way, here or on another node. */
function servedNow(stack: ServedStack): readonly string[] {
  const isUp = ({ status: { state }, lifecycle }: ManagedServer): boolean =>
    state === 'running' || state === 'degraded' || (state === 'starting' && lifecycle.failures === 0);
  const served = stack.manager.servers().filter((server) => isUp(server) || !stack.runsHere(server.name));
  return served.map(({ name }) => name);
}

function namesOf(servers: readonly { readonly name: string }[]): string {
  return servers.map(({ name }) => name).join(', ');
}

/** Checks all HTTP options before any server starts. */
async function openHttp(
  plan: HttpPlan,
  stack: ServedStack,
  { role, metricsTokenFile, observed }: ServeOptions & { readonly observed: Observed | undefined },
  io: Io,
) {
  const context = {
    files: stack.config.files,
    get roles() {
      return stack.config.roles;
    },
    role,
  };
  const access = await openAccess(plan.access, context, io);
  const tls = plan.tls && (await readTlsFiles(plan.tls, io.cwd));
  const metrics = await metricsFor(observed, metricsTokenFile, plan, io);
  for (const warning of plan.warnings) printNote(`warning: ${warning}`, io);
  return { plan, access, tls, metrics };
}

/** Nothing is counted before the returned function is called. */
async function metricsFor(
  observed: Observed | undefined,
  tokenFile: string | undefined,
  { allowedHosts }: HttpPlan,
  { cwd }: Io,
) {
  if (tokenFile === undefined) return undefined;
  const token = await readTokenFile(resolve(cwd, tokenFile));
  return async () => {
    const metrics = await observed?.metrics();
    if (metrics === undefined) return undefined;
    const { metricsListener } = await import('./metrics-route.js');
    return metricsListener({ metrics, token, allowedHosts });
  };
}

/**
 * Resolves when every server has started or failed, at the latest after a grace period. Later collisions are reported
 * and not served.
 *
 * @throws {UsageError} Names collide with `--names as-is`.
 */
async function startAll(
  stack: ServedStack,
  gateway: Gateway,
  { options, lines, signal, onStarting }: StartContext,
): Promise<void> {
  const { names } = options;
  const starting = startEach(wantedOf(options, stack), signal);
  onStarting(starting);
  const collisions = starting.then(() => (names === 'as-is' ? gateway.collisions() : []));
  const found = await Promise.race([collisions, graceEnd(startGraceMs)]);
  if (found !== undefined && found.length > 0) throw collisionError(found);
  if (found !== undefined) return;
  // A rejection here is an interruption after the grace period, which the end of serving reports.
  const later = (all: readonly NamedCollision[]) => all.length > 0 && lines.onProblem(collisionProblem(all));
  collisions.then(later, () => undefined);
}

/** Starts servers that an edit of the config has added. */
async function startNew(
  servers: readonly string[],
  { manager }: ServedStack,
  gateway: Gateway,
  { options, lines, signal }: Omit<StartContext, 'onStarting'>,
): Promise<void> {
  const served = manager.servers().filter(({ name }) => servers.includes(name));
  await startEach(served, signal).catch(() => undefined); // interrupted
  const collisions = options.names === 'as-is' && !signal.aborted ? await gateway.collisions() : [];
  if (collisions.length > 0) lines.onProblem(collisionProblem(collisions));
}

interface StartContext {
  readonly options: ServeOptions;
  readonly lines: ProblemLines;
  readonly signal: AbortSignal;
  /** Gets a promise that settles when every server has started or failed. */
  readonly onStarting: (starting: Promise<unknown>) => void;
}

/** @throws {CommandError} The engine is not installed. */
async function openCode(): Promise<CodeRunner> {
  const { openCodeRunner } = await import('@x/mcp-registry/code');
  try {
    return await openCodeRunner();
  } catch (error) {
    if (!isRegistryError(error)) throw error;
    throw new CommandError(exitCodes.config, error.message, { hint: 'Install it beside mcpx, or omit --code.' });
  }
}

interface GatewayParts extends Omit<ServeOptions, 'code'> {
  readonly code: CodeRunner | undefined;
  readonly observed: Observed | undefined;
  readonly attendants: ElicitationFallback | undefined;
}

function gatewayOver({ registry, manager }: ServedStack, options: GatewayParts, lines: ProblemLines): Gateway {
  const { mode, autoAbove, code, names, pageSize, limitRole = [], limitServer = [], observed, attendants } = options;
  const { instructionsInSearch, maxInstructionCharacters } = options;
  // A single server with unchanged names keeps its own name and version.
  const isItself = names === 'as-is' && manager.servers().length === 1;
  return createGateway({
    registry,
    upstreams: manager,
    ...(isItself ? {} : { name: 'mcpx', version: packageJson.version }),
    surface: mode,
    maxListedTools: autoAbove,
    instructionsInSearch,
    maxInstructionCharacters,
    code,
    names,
    pageSize,
    rateLimits: { perRole: ratesByName(limitRole), perServer: ratesByName(limitServer) },
    elicitationFallback: attendants,
    telemetry: observed?.telemetry,
    ...lines,
  });
}

function linesFor(
  stack: ServedStack,
  { verbose = false }: ServeOptions,
  io: Io,
  access: Pick<Access, 'secrets'> | undefined,
) {
  const redact = (text: string): string => stack.redactor.with(access?.secrets ?? []).redact(text);
  return problemLines(io, { redact, isVerbose: verbose });
}

function graceEnd(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined).unref());
}

/** Starts `servers` in parallel. A failed one does not affect the others; calls to it report the failure. */
function startEach(servers: readonly ManagedServer[], signal: AbortSignal): Promise<readonly StartOutcome[]> {
  return Promise.all(servers.map((server) => startOutcome(server, signal)));
}

async function startOutcome(server: ManagedServer, signal: AbortSignal): Promise<StartOutcome> {
  try {
    await server.start({ signal });
    return { server: server.name, status: 'started' };
  } catch (error) {
    signal.throwIfAborted();
    if (!isManagerError(error)) throw error;
    return { server: server.name, status: 'failed', error: error as ManagerError };
  }
}
