import { resolve } from 'node:path';
import { isGatewayServer, startsRemoteGateway } from '@x/internal/launch';
import { isManagerError, type ManagedServer, type ManagerError, type StartOutcome } from '@x/mcp-client-manager';
import {
  createGateway,
  type Gateway,
  gatewayCapabilities,
  type NamedCollision,
  singleClientCapabilities,
} from '@x/mcp-gateway';
import { isRegistryError, type RegistryOptions } from '@x/mcp-registry';
import type { CodeRunner } from '@x/mcp-registry/code';
import { type AuditLog, createAuditLog } from '@x/mcp-registry/node';
import { compileRole } from '@x/mcp-registry/roles';
import packageJson from '../../package.json' with { type: 'json' };
import { CommandError, type ExitCode, exitCodes, type Io } from '../command.js';
import { openStack, type Stack } from '../compose.js';
import { followRules, type RulesFollower } from '../config/follow-rules.js';
import { requireRole } from '../config/role-view.js';
import type { RuleChanges } from '../config/rule-changes.js';
import { applyTrustFlag, obtainConsent } from '../consent/obtain-consent.js';
import { trustHint } from '../control/control-error.js';
import { toControlError } from '../control/to-control-error.js';
import { locateDaemon } from '../daemon/locate-daemon.js';
import { DaemonSources } from '../fleet/daemon-sources.js';
import { loadMembership, membershipFile } from '../fleet/membership.js';
import { inCommandWords } from '../output/command-words.js';
import { showSteps } from '../output/live/start-steps.js';
import { printable, printableLine } from '../output/print.js';
import { refuseNesting } from '../servers/gateway-depth.js';
import { startsAutomatically } from '../servers/server-rows.js';
import { type Access, openAccess } from '../serving/access.js';
import { type HttpPlan, planHttp } from '../serving/http-plan.js';
import { announce, collisionError, collisionProblem, type ProblemLines, problemLines } from '../serving/messages.js';
import { ratesByName } from '../serving/rate-limit.js';
import { serveHttp } from '../serving/serve-http.js';
import { checkServeOptions, type ServeOptions } from '../serving/serve-options.js';
import { serveStdio } from '../serving/serve-stdio.js';
import { readTlsFiles } from '../serving/tls-files.js';
import { readTokenFile } from '../serving/token-file.js';
import { exportAsked } from '../telemetry/export-asked.js';
import type { CliTelemetry } from '../telemetry/open-telemetry.js';

/** A last resort: clients have timeouts of their own, and a call that they give up is cancelled. */
const callTimeoutMs = 3_600_000;
/** Longest wait of a client's first request for slow servers, in milliseconds. */
const startGraceMs = 5_000;
/** Below the 30 seconds after which Kubernetes and systemd units of this project kill. */
const defaultDrainSeconds = 20;

/**
 * Serves all tools as one MCP server, over stdio until stdin ends, or over HTTP until interrupted. Slow servers join
 * later, with list-changed notifications.
 */
export async function serve(options: ServeOptions, io: Io): Promise<ExitCode> {
  checkServeOptions(options);
  refuseNesting(io.env, 'gateway');
  const plan = options.http === true ? planHttp(options) : undefined;
  const named = options.servers.length > 0 ? options.servers : undefined;
  // Over stdio the terminal belongs to the client.
  await (plan === undefined ? applyTrustFlag(options, io) : obtainConsent({ ...options, servers: named }, io));
  let report = (error: Error): void => void io.stderr.write(`warning: ${inCommandWords(error.message)}\n`);
  let rules: RulesFollower | undefined;
  using _hangup = io.onHangup?.(() => void rules?.reload()); // until then the first read of the rules is in progress
  await using audit = openAudit(options, io, (error) => report(error));
  await using observed = await observe(options, io);
  const { config, servers } = options;
  // Named servers are served from this process alone.
  const isInFleet = servers.length === 0 && (await belongsToFleet(options, io));
  await using stack = await openStack(
    {
      ...(config && { config }),
      servers,
      withoutSingletons: isInFleet,
      isNested: options.names === 'nested',
      startsEager: true,
      audit: audit?.record,
      interceptors: await interceptorsFor(options),
      capabilities: plan === undefined ? singleClientCapabilities : gatewayCapabilities,
      callTimeoutMs,
      telemetry: observed?.telemetry,
    },
    io,
  );
  checkNames(options, stack);
  requireConsent(stack, io);
  warnAboutGateways(options, stack, io);
  warnAboutManual(stack, io);
  const http = plan && (await openHttp(plan, stack, { ...options, observed }, io));
  await using code = options.code === true ? await openCode() : undefined;
  const lines = linesFor(stack, options, io, http?.access);
  report = lines.onError;
  using _steps = showSteps(stack, io, { isVerbose: options.verbose ?? false });
  await using gateway = gatewayOver(stack, { ...options, code, observed }, lines);
  await using sources = isInFleet ? fleetSources(stack, options, io) : undefined;
  await using followed = followRules({
    stack,
    config,
    io,
    tokens: http?.access.tokens,
    onChange: (changes) => io.stderr.write(changedText(changes)),
    onProblem: (error) => warnAboutRules(error, stack, io),
  });
  rules = followed;
  const start = async (signal: AbortSignal) => {
    await Promise.all([sources && Promise.race([sources.ready, graceEnd(startGraceMs)]), startOwn(signal)]);
    warnAboutUnmatched(options, stack, io);
  };
  const settled: Promise<unknown>[] = [];
  const onStarting = (starting: Promise<unknown>) => void settled.push(starting);
  const startOwn = (signal: AbortSignal) =>
    startAll(stack, gateway, { names: options.names, lines, signal, onStarting });
  io.leaveUnread?.();
  const drainMs = (options.drain ?? defaultDrainSeconds) * 1_000;
  if (http === undefined) return await serveStdio(gateway, { role: options.role, drainMs, start }, io);

  const served = stack.manager.servers().map(({ name }) => name);
  const onListening = (url: string) =>
    announce({ url, servers: served, kept: http.access.kept, json: options.json ?? false }, io);
  const whenSettled = () => Promise.allSettled(settled);
  return await serveHttp(gateway, { ...http, drainMs, start, whenSettled, onListening, onError: lines.onError }, io);
}

/** A misspelt pattern would let calls run without a question. */
function warnAboutUnmatched({ askBefore = [] }: ServeOptions, { registry, manager }: Stack, io: Io): void {
  const allowedTools = manager.servers().map(({ name }) => name);
  for (const pattern of askBefore) {
    if (pattern === 'destructive') continue;
    const policy = compileRole([{ role: 'asked', allowedTools, deniedTools: [pattern] }], 'asked', allowedTools);
    if (registry.list().some((tool) => tool.server !== undefined && !policy(tool).isAllowed)) continue;
    io.stderr.write(
      `warning: --ask-before ${printableLine(pattern, 200)} matches none of the tools that are known now.\n`,
    );
  }
}

function changedText({ roles, trust }: RuleChanges): string {
  const changed = [...roles.map((role) => `role "${role}"`), ...(trust ? ['trust'] : [])];
  return `${printable(`Rules have changed: ${changed.join(', ')}.`)}\n`;
}

function warnAboutRules(error: unknown, { redactor }: Stack, io: Io): void {
  const { message } = toControlError(error, redactor);
  io.stderr.write(`warning: Roles and trust are unchanged. ${printable(message)}\n`);
}

/** True if the daemon of this config is or would be a node of a fleet. */
async function belongsToFleet({ config }: ServeOptions, io: Io): Promise<boolean> {
  if (io.stateDirectory === undefined) return false;
  const file = membershipFile(io.stateDirectory, locateDaemon({ config }, io).paths.id);
  return (await loadMembership(file).catch(() => undefined)) !== undefined; // fleet commands report a broken file
}

function fleetSources({ registry, manager }: Stack, { config }: ServeOptions, io: Io): DaemonSources {
  const own = new Set(manager.servers().map(({ name }) => name));
  const onUnavailable = (message: string) => void io.stderr.write(`warning: ${printable(message)}\n`);
  return new DaemonSources({ config, registry, own, onUnavailable }, io);
}

/** @throws {UsageError | ManagerError} An option names an unknown role or server. */
function checkNames({ role, limitRole = [], limitServer = [] }: ServeOptions, { config, manager }: Stack): void {
  if (role !== undefined) requireRole(config, role);
  for (const { name } of limitRole) requireRole(config, name);
  for (const { name } of limitServer) manager.server(name);
}

/** @see docs/errors/own-gateway.md */
function warnAboutGateways({ names }: ServeOptions, { config }: Stack, io: Io): void {
  for (const { name } of config.servers.filter(isGatewayServer))
    io.stderr.write(`warning: ${printable(name)} is skipped: it is a gateway of mcpx and would start itself.\n`);
  if (names !== 'nested') return;
  for (const { name } of config.servers.filter(startsRemoteGateway))
    io.stderr.write(`warning: ${printable(name)} is skipped: a nested gateway starts no gateways of other machines.\n`);
}

/**
 * Warns about servers without consent.
 *
 * @throws {CommandError} No server has consent.
 */
function requireConsent(stack: Stack, io: Io): void {
  const wanted = stack.manager.servers().filter(({ status }) => startsAutomatically(status));
  const waiting = wanted.filter(({ name }) => stack.waitsForConsent(name));
  if (waiting.length === 0) return;
  const names = printableLine(waiting.map(({ name }) => name).join(', '), 500);
  const message = `These servers need your consent: ${names}.`;
  if (waiting.length === wanted.length) throw new CommandError(exitCodes.config, message, { hint: trustHint });
  io.stderr.write(`warning: ${message} They are not served. ${trustHint}\n`);
}

/** A client cannot find out why servers without `auto_start` offer nothing. */
function warnAboutManual({ manager }: Stack, io: Io): void {
  const disabled = manager.servers().filter(({ status }) => status.disabled);
  if (disabled.length > 0) io.stderr.write(`Not served, because they are disabled: ${printable(namesOf(disabled))}.\n`);
  const manual = manager.servers().filter(({ status }) => !status.autoStart && !status.disabled);
  if (manual.length === 0) return;
  const names = printable(namesOf(manual));
  io.stderr.write(
    `Not started, because they have no auto_start: ${names}. Run "mcpx serve ${manual[0]?.name}" to serve one.\n`,
  );
}

function namesOf(servers: readonly { readonly name: string }[]): string {
  return servers.map(({ name }) => name).join(', ');
}

/** Checks all HTTP options before any server starts. */
async function openHttp(
  plan: HttpPlan,
  stack: Stack,
  { role, metricsTokenFile, observed }: ServeOptions & { readonly observed: CliTelemetry | undefined },
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
  for (const warning of plan.warnings) io.stderr.write(`warning: ${warning}\n`);
  return { plan, access, tls, metrics };
}

/** Loads nothing without an option or a variable that asks for it. */
async function observe(
  { metricsTokenFile, http }: ServeOptions,
  { env, stderr }: Io,
): Promise<CliTelemetry | undefined> {
  const hasMetrics = metricsTokenFile !== undefined;
  if (!hasMetrics && exportAsked(env) === undefined) return undefined;
  const { openTelemetry } = await import('../telemetry/open-telemetry.js');
  const warn = (line: string) => stderr.write(`warning: ${printable(line)}\n`);
  return openTelemetry({ env, hasMetrics, consoleTo: http === true ? undefined : stderr, warn });
}

async function metricsFor(
  observed: CliTelemetry | undefined,
  tokenFile: string | undefined,
  { allowedHosts }: HttpPlan,
  { cwd }: Io,
) {
  if (observed?.metrics === undefined || tokenFile === undefined) return undefined;
  const { metricsListener } = await import('../serving/metrics-route.js');
  return metricsListener({
    metrics: observed.metrics,
    token: await readTokenFile(resolve(cwd, tokenFile)),
    allowedHosts,
  });
}

/**
 * Resolves when every server has started or failed, at the latest after a grace period. Later collisions are reported
 * and not served.
 *
 * @throws {UsageError} Names collide with `--names as-is`.
 */
async function startAll(
  { manager }: Stack,
  gateway: Gateway,
  { names, lines, signal, onStarting }: StartContext,
): Promise<void> {
  const wanted = manager.servers().filter(({ status }) => startsAutomatically(status));
  const starting = startEach(wanted, signal);
  onStarting(starting);
  const collisions = starting.then(() => (names === 'as-is' ? gateway.collisions() : []));
  const found = await Promise.race([collisions, graceEnd(startGraceMs)]);
  if (found !== undefined && found.length > 0) throw collisionError(found);
  if (found !== undefined) return;
  // A rejection here is an interruption after the grace period, which the end of serving reports.
  const later = (all: readonly NamedCollision[]) => all.length > 0 && lines.onProblem(collisionProblem(all));
  collisions.then(later, () => undefined);
}

interface StartContext {
  readonly names: ServeOptions['names'];
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

/** Loads on demand. A person approves what is sent, so that step is the last one. */
async function interceptorsFor({ maxResultTokens, askBefore }: ServeOptions): Promise<RegistryOptions['interceptors']> {
  if (maxResultTokens === undefined && askBefore === undefined) return undefined;
  const { approveCalls, limitResults } = await import('@x/mcp-registry/interceptors');
  return [
    ...(maxResultTokens === undefined ? [] : [limitResults({ maxTokens: maxResultTokens })]),
    ...(askBefore === undefined ? [] : [approveCalls({ ask: 'elicitation', rules: { tools: askBefore } })]),
  ];
}

interface GatewayParts extends Omit<ServeOptions, 'code'> {
  readonly code: CodeRunner | undefined;
  readonly observed: CliTelemetry | undefined;
}

function gatewayOver({ registry, manager }: Stack, options: GatewayParts, lines: ProblemLines): Gateway {
  const { mode, autoAbove, code, names, pageSize, limitRole = [], limitServer = [], observed } = options;
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
    telemetry: observed?.telemetry,
    ...lines,
  });
}

function linesFor(
  stack: Stack,
  { verbose = false }: ServeOptions,
  io: Io,
  access: Pick<Access, 'secrets'> | undefined,
) {
  const redact = (text: string): string => stack.redactor.with(access?.secrets ?? []).redact(text);
  return problemLines(io, { redact, isVerbose: verbose });
}

function openAudit({ audit }: ServeOptions, { cwd }: Io, onError: (error: Error) => void): AuditLog | undefined {
  return audit === undefined ? undefined : createAuditLog({ path: resolve(cwd, audit), onError });
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
