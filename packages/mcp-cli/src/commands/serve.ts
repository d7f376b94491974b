import { resolve } from 'node:path';
import { isGatewayServer } from '@x/internal/launch';
import {
  createGateway,
  type Gateway,
  gatewayCapabilities,
  type NamedCollision,
  singleClientCapabilities,
} from '@x/mcp-gateway';
import { type AuditLog, createAuditLog } from '@x/mcp-registry/node';
import packageJson from '../../package.json' with { type: 'json' };
import { openStack, type Stack } from '../compose.js';
import { agreeAhead, agreeBefore } from '../consent/agree-before.js';
import { toControlError } from '../control/to-control-error.js';
import { trustHint } from '../control/trust-hint.js';
import { locateDaemon } from '../daemon/locate-daemon.js';
import { CommandError, type ExitCode, exitCodes } from '../exit-codes.js';
import { DaemonSources } from '../fleet/daemon-sources.js';
import { membershipFile, rememberedMembership } from '../fleet/membership-file.js';
import { followRules, type RulesFollower } from '../follow-rules.js';
import { refuseNesting } from '../gateway-depth.js';
import type { Io } from '../io.js';
import { printable, printableLine } from '../output/printable.js';
import { showSteps } from '../output/start-steps.js';
import { requireRole } from '../role-view.js';
import type { RuleChanges } from '../rule-changes.js';
import { type Access, openAccess } from '../serving/access.js';
import { announce } from '../serving/announce.js';
import { collisionError, collisionProblem } from '../serving/collision-error.js';
import { type HttpPlan, planHttp } from '../serving/http-plan.js';
import { type ProblemLines, problemLines } from '../serving/problem-lines.js';
import { ratesByName } from '../serving/rate-limit.js';
import { serveHttp } from '../serving/serve-http.js';
import { checkServeOptions, type ServeOptions } from '../serving/serve-options.js';
import { serveStdio } from '../serving/serve-stdio.js';
import { readTlsFiles } from '../serving/tls-files.js';
import { startEach } from '../start-servers.js';
import { startsAutomatically } from '../starts-automatically.js';

/** Clients know how long they wait for a call, and what they give up is cancelled: this is for those that never do. */
const callTimeoutMs = 3_600_000;
/** How long a client waits for its first answer so that slow servers are in its first list, in milliseconds. */
const startGraceMs = 5_000;

/**
 * `mcpx serve`: everything that the servers offer as one MCP server, on stdin and stdout until stdin ends, or over HTTP
 * until it is interrupted. Servers that take longer to start than clients like to wait come in later, with a notice that
 * the lists have changed.
 */
export async function serve(options: ServeOptions, io: Io): Promise<ExitCode> {
  checkServeOptions(options);
  refuseNesting(io.env, 'gateway');
  const plan = options.http === true ? planHttp(options) : undefined;
  const named = options.servers.length > 0 ? options.servers : undefined;
  // Over stdio the terminal, if there is one, belongs to the client.
  await (plan === undefined ? agreeAhead(options, io) : agreeBefore({ ...options, servers: named }, io));
  let tell = (error: Error): void => void io.stderr.write(`warning: ${error.message}\n`);
  let rules: RulesFollower | undefined;
  using _hangup = io.onHangup?.(() => void rules?.readAgain()); // before that they are being read anyway
  await using audit = openAudit(options, io, (error) => tell(error));
  const { config, servers } = options;
  // Whoever names servers wants these alone, here.
  const isInFleet = servers.length === 0 && (await belongsToFleet(options, io));
  await using stack = await openStack(
    {
      ...(config && { config }),
      servers,
      withoutSingletons: isInFleet,
      startsEager: true,
      audit: audit?.record,
      capabilities: plan === undefined ? singleClientCapabilities : gatewayCapabilities,
      callTimeoutMs,
    },
    io,
  );
  checkNames(options, stack);
  requireConsent(stack, io);
  tellOfGateways(stack, io);
  tellOfResting(stack, io);
  const http = plan && (await openHttp(plan, stack, options, io));
  const lines = linesFor(stack, options, io, http?.access);
  tell = lines.onError;
  using _steps = showSteps(stack, io, { isVerbose: options.verbose ?? false });
  await using gateway = gatewayOver(stack, options, lines);
  await using others = isInFleet ? othersOf(stack, options, io) : undefined;
  await using followed = followRules({
    stack,
    config,
    io,
    tokens: http?.access.tokens,
    onChange: (changes) => io.stderr.write(changedRules(changes)),
    onProblem: (error) => tellOfProblem(error, stack, io),
  });
  rules = followed;
  const start = async (signal: AbortSignal) => {
    await Promise.all([others && Promise.race([others.ready, graceOver(startGraceMs)]), startOwn(signal)]);
  };
  const startOwn = (signal: AbortSignal) => started(stack, gateway, { names: options.names, lines, signal });
  io.leaveUnread?.();
  if (http === undefined) return await serveStdio(gateway, { role: options.role, start }, io);

  const served = stack.manager.servers().map(({ name }) => name);
  const onListening = (url: string) =>
    announce({ url, servers: served, kept: http.access.kept, json: options.json ?? false }, io);
  return await serveHttp(gateway, { ...http, start, onListening, onError: lines.onError }, io);
}

function changedRules({ roles, trust }: RuleChanges): string {
  const changed = [...roles.map((role) => `role "${role}"`), ...(trust ? ['trust'] : [])];
  return `${printable(`Other rules hold: ${changed.join(', ')}.`)}\n`;
}

function tellOfProblem(error: unknown, { redactor }: Stack, io: Io): void {
  const { message } = toControlError(error, redactor);
  io.stderr.write(`warning: Roles and trust stay as they were. ${printable(message)}\n`);
}

/** Whether the daemon of this config is, or would be, a node of a fleet. */
async function belongsToFleet({ config }: ServeOptions, io: Io): Promise<boolean> {
  if (io.stateDirectory === undefined) return false;
  const file = membershipFile(io.stateDirectory, locateDaemon({ config }, io).paths.id);
  return (await rememberedMembership(file).catch(() => undefined)) !== undefined; // told where fleets are looked after
}

function othersOf({ registry, manager }: Stack, { config }: ServeOptions, io: Io): DaemonSources {
  const own = new Set(manager.servers().map(({ name }) => name));
  const onTrouble = (message: string) => void io.stderr.write(`warning: ${printable(message)}\n`);
  return new DaemonSources({ config, registry, own, onTrouble }, io);
}

/** @throws {UsageError | ManagerError} An option names a role or a server that there is not. */
function checkNames({ role, limitRole = [], limitServer = [] }: ServeOptions, { config, manager }: Stack): void {
  if (role !== undefined) requireRole(config, role);
  for (const { name } of limitRole) requireRole(config, name);
  for (const { name } of limitServer) manager.server(name);
}

/** @see docs/errors/own-gateway.md */
function tellOfGateways({ config }: Stack, io: Io): void {
  for (const { name } of config.servers.filter(isGatewayServer))
    io.stderr.write(`warning: ${printable(name)} is left out: it is a gateway of mcpx, which would start itself.\n`);
}

/**
 * Tells which servers are left out because the user has not agreed to what they run.
 *
 * @throws {CommandError} When that is all of them.
 */
function requireConsent(stack: Stack, io: Io): void {
  const wanted = stack.manager.servers().filter(({ status }) => startsAutomatically(status));
  const waiting = wanted.filter(({ name }) => stack.waitsForConsent(name));
  if (waiting.length === 0) return;
  const names = printableLine(waiting.map(({ name }) => name).join(', '), 500);
  const message = `You have not agreed to what these servers run: ${names}.`;
  if (waiting.length === wanted.length) throw new CommandError(exitCodes.config, message, { hint: trustHint });
  io.stderr.write(`warning: ${message} They are not served. ${trustHint}\n`);
}

/** Those that start only by name have nothing to offer here, which would be hard to find out from the client. */
function tellOfResting({ manager }: Stack, io: Io): void {
  const disabled = manager.servers().filter(({ status }) => status.disabled);
  if (disabled.length > 0) io.stderr.write(`Not served, since disabled: ${printable(namesOf(disabled))}.\n`);
  const resting = manager.servers().filter(({ status }) => !status.autoStart && !status.disabled);
  if (resting.length === 0) return;
  const names = printable(namesOf(resting));
  io.stderr.write(
    `Not started, for want of auto_start: ${names}. "mcpx serve ${resting[0]?.name}" serves one that is named.\n`,
  );
}

function namesOf(servers: readonly { readonly name: string }[]): string {
  return servers.map(({ name }) => name).join(', ');
}

/** All that can be wrong with the options of HTTP is told before a server is started. */
async function openHttp(plan: HttpPlan, stack: Stack, { role }: ServeOptions, io: Io) {
  const context = {
    files: stack.config.files,
    get roles() {
      return stack.config.roles;
    },
    role,
  };
  const access = await openAccess(plan.access, context, io);
  const tls = plan.tls && (await readTlsFiles(plan.tls, io.cwd));
  for (const warning of plan.warnings) io.stderr.write(`warning: ${warning}\n`);
  return { plan, access, tls };
}

/**
 * Resolves when every server is there or has failed, and after a grace at the latest. Names as they are can be told apart
 * once their servers are there: what is found out later is not served, and told.
 *
 * @throws {UsageError} Names as they are would belong to several servers.
 */
async function started({ manager }: Stack, gateway: Gateway, { names, lines, signal }: StartContext): Promise<void> {
  const wanted = manager.servers().filter(({ status }) => startsAutomatically(status));
  const collisions = startEach(wanted, signal).then(() => (names === 'as-is' ? gateway.collisions() : []));
  const found = await Promise.race([collisions, graceOver(startGraceMs)]);
  if (found !== undefined && found.length > 0) throw collisionError(found);
  if (found !== undefined) return;
  // Interrupted later than the grace: the end of the serving tells it.
  const later = (all: readonly NamedCollision[]) => all.length > 0 && lines.onProblem(collisionProblem(all));
  collisions.then(later, () => undefined);
}

interface StartContext {
  readonly names: ServeOptions['names'];
  readonly lines: ProblemLines;
  readonly signal: AbortSignal;
}

function gatewayOver({ registry, manager }: Stack, options: ServeOptions, lines: ProblemLines): Gateway {
  const { mode, autoAbove, names, pageSize, limitRole = [], limitServer = [] } = options;
  // A single server as it is introduces itself.
  const isItself = names === 'as-is' && manager.servers().length === 1;
  return createGateway({
    registry,
    upstreams: manager,
    ...(isItself ? {} : { name: 'mcpx', version: packageJson.version }),
    surface: mode,
    maxListedTools: autoAbove,
    names,
    pageSize,
    rateLimits: { perRole: ratesByName(limitRole), perServer: ratesByName(limitServer) },
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

function graceOver(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined).unref());
}
