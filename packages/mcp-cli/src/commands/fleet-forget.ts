import type { FleetBus, ForgetPlan } from '@x/mcp-fleet';
import { CommandError, type CommonOptions, type ExitCode, exitCodes, type Io, UsageError } from '../command.js';
import { ControlError } from '../control/control-error.js';
import { locateDaemon } from '../daemon/locate-daemon.js';
import { fleetHint, isFleetFailure } from '../fleet/fleet-errors.js';
import { type FleetLoginOptions, loginFrom, requireName, tlsFrom } from '../fleet/login-options.js';
import { loadMembership, type Membership, membershipFile } from '../fleet/membership.js';
import { askYesNo, canAsk } from '../output/ask.js';
import { printNote } from '../output/fit.js';
import { printableLine, printJson } from '../output/print.js';

export interface FleetForgetOptions extends CommonOptions, FleetLoginOptions {
  readonly node: string;
  /** NATS servers. Empty: those of the daemon's fleet, with its TLS files. */
  readonly urls: readonly string[];
  /** Default: the daemon's fleet; with `urls`: `default`. */
  readonly fleet?: string;
  /** Default: that of the daemon's fleet; with `urls`: that of the servers. */
  readonly domain?: string;
  /** Skips the confirmation. */
  readonly yes?: boolean;
}

/** Name of this command on the bus if it has its own login. It writes nothing under this name. */
const operatorName = 'operator';
const maxNameLength = 130;

/**
 * Removes the records of a lost node, and refuses one that is alive. Connects to the NATS server itself, so no daemon
 * has to run.
 */
export async function fleetForget(options: FleetForgetOptions, io: Io): Promise<ExitCode> {
  const { node, yes = false, json = false } = options;
  requireName('node', node);
  if (!yes && (json || !canAsk(io))) {
    throw new UsageError('Nothing was removed, because there is no terminal to prompt on.', {
      hint: 'Add --yes to remove the node without a prompt.',
    });
  }
  const membership = await resolveMembership(options, io);
  await using bus = await openBus(membership, io);
  const plan = await withHints(() => planFor(node, bus, io));
  if (plan.keys.length === 0) {
    throw new CommandError(exitCodes.notFound, `The fleet "${membership.fleet}" has no node named "${node}".`, {
      hint: 'Run "mcpx fleet status" to see its nodes.',
    });
  }
  if (!json) io.stdout.write(`${planText(plan)}\n`);
  const isWanted = yes || (await askYesNo(`Forget "${node}"?`, io));
  if (!isWanted) {
    printNote('Nothing was removed.', io);
    return exitCodes.ok;
  }
  await withHints(async () => (await import('@x/mcp-fleet')).forgetNode({ bus, plan, signal: io.signal }));
  const { heardAtMs, servers, singletons } = plan;
  const lastHeartbeat = heardAtMs === undefined ? {} : { heardAt: Math.trunc(heardAtMs) };
  if (json) printJson({ forgotten: true, fleet: membership.fleet, node, ...lastHeartbeat, servers, singletons }, io);
  else io.stdout.write(`Forgot the node "${node}" of the fleet "${membership.fleet}".\n`);
  return exitCodes.ok;
}

/** @throws {UsageError} The fleet is unknown, or the node is this one. */
async function resolveMembership(options: FleetForgetOptions, io: Io): Promise<Membership> {
  const { node, urls, fleet, domain } = options;
  if (fleet !== undefined) requireName('--fleet', fleet);
  if (domain !== undefined) requireName('--domain', domain);
  const login = loginFrom(options, io.cwd);
  const tls = tlsFrom(options, io.cwd);
  if (urls.length > 0) {
    return { servers: urls, fleet: fleet ?? 'default', node: operatorName, login, domain, tls };
  }
  const known = await loadMembership(membershipFile(io.stateDirectory, locateDaemon(options, io).paths.id));
  if (known === undefined) {
    throw new UsageError('The daemon of this config belongs to no fleet, so the NATS server is unknown.', {
      hint: `Name its NATS server: mcpx fleet forget ${node} nats://10.0.0.5:4222`,
    });
  }
  if (known.node === node && (fleet ?? known.fleet) === known.fleet) {
    throw new UsageError(`"${node}" is this node itself.`, { hint: 'Run "mcpx fleet leave" to have it leave.' });
  }
  const identity = login.kind === 'none' ? known : { node: operatorName, login };
  const overrides = { ...(domain !== undefined && { domain }), ...(tls && { tls }) };
  return { ...known, node: identity.node, login: identity.login, fleet: fleet ?? known.fleet, ...overrides };
}

async function openBus(membership: Membership, io: Io): Promise<FleetBus> {
  const { openFleetBus } = await import('../fleet/open-fleet-bus.js');
  try {
    return await withHints(() => openFleetBus(membership, { mustConnect: true, signal: io.signal }));
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message, { cause: error }) : error; // an invalid address
  }
}

async function planFor(node: string, bus: FleetBus, io: Io): Promise<ForgetPlan> {
  const { planForget } = await import('@x/mcp-fleet');
  const onWait = (longestMs: number): void => {
    const seconds = Math.ceil(longestMs / 1_000);
    printNote(`Waiting for a heartbeat of "${node}", at most ${seconds} seconds`, io);
  };
  return planForget({ bus, node, onWait, signal: io.signal });
}

async function withHints<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isFleetFailure(error)) throw error;
    const { code, message, retryable } = error;
    const hint = code === 'forbidden' ? administratorHint : fleetHint(code);
    throw new ControlError(code, message, { hint, retryable, cause: error });
  }
}

const administratorHint =
  'Log in as an administrator of the fleet, with --creds, --nkey-file, --token-file, or --user and --password-file. "mcpx fleet permissions --administrator" makes such a login.';

/** Names in a plan are untrusted. */
function planText({ node, heardAtMs, servers, singletons }: ForgetPlan): string {
  const lastHeartbeat =
    heardAtMs === undefined
      ? `"${node}" has no lease`
      : `The last heartbeat of "${node}" was at ${new Date(heardAtMs).toISOString()}, by the clock of the NATS server`;
  const named = (names: readonly string[]) => names.map((name) => printableLine(name, maxNameLength)).join(', ');
  const parts = [
    ...(servers.length > 0 ? [`servers: ${named(servers)}`] : []),
    ...(singletons.length > 0 ? [`singletons: ${named(singletons)}`] : []),
  ];
  return [lastHeartbeat, ...parts.map((part) => `  ${part}`)].join('\n');
}
