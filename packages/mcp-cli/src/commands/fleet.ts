import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type CommonOptions, type ExitCode, exitCodes, type Io, UsageError } from '../command.js';
import type { DaemonControl } from '../control/control.js';
import { ensureDaemon } from '../daemon/ensure-daemon.js';
import { findDaemon } from '../daemon/find-daemon.js';
import { locateDaemon } from '../daemon/locate-daemon.js';
import { type FleetLoginOptions, loginFrom, requireName, tlsFrom } from '../fleet/login-options.js';
import {
  deleteMembership,
  isReplicas,
  loadMembership,
  type Membership,
  membershipFile,
  nodeNameFrom,
} from '../fleet/membership.js';
import { fit, printNote } from '../output/fit.js';
import { fleetHead, fleetTable, noFleet } from '../output/fleet-table.js';
import { printable, printableLine, printJson, stylesFor } from '../output/print.js';
import { startTracked } from '../servers/start-servers.js';

export interface FleetJoinOptions extends CommonOptions, FleetLoginOptions {
  readonly urls: readonly string[];
  /** Default: the name of this machine, adapted to the rules of node names. */
  readonly node?: string;
  /** Default `default`. */
  readonly fleet?: string;
  /** Default: that of the servers. */
  readonly domain?: string;
  /** Copies of the fleet's keys in a cluster, 1 to 5. */
  readonly replicas?: number;
  /** `false` for `--no-wait`. */
  readonly wait?: boolean;
}

/**
 * Makes the daemon join a fleet, now and whenever it runs, and starts servers like `mcpx up`. Exits with 1 while the
 * NATS servers cannot be reached; the daemon keeps trying.
 */
export async function fleetJoin(options: FleetJoinOptions, io: Io): Promise<ExitCode> {
  const membership = planMembership(options, io.cwd);
  await using control = await ensureDaemon({ config: options.config }, io);
  const { report, waitingFor } = await control.joinFleet({
    membership,
    wait: options.wait ?? true,
    signal: io.signal,
  });
  if (options.json) printJson(report, io);
  else if (waitingFor === undefined) io.stdout.write(fit(fleetHead(report), io.stdout));
  if (options.wait ?? true) await startOwn(control, options, io);
  if (waitingFor === undefined) return exitCodes.ok;
  const later = 'The daemon keeps trying. "mcpx fleet status" shows the state, and "mcpx fleet leave" stops it.';
  printNote(`warning: ${printable(waitingFor)}\n${later}`, io);
  return exitCodes.failed;
}

/** Stopped servers have no tools for other nodes yet. A failed start does not fail the join. */
async function startOwn(control: DaemonControl, options: CommonOptions, io: Io): Promise<void> {
  for (const outcome of await startTracked(control, undefined, options, io)) {
    if (outcome.status === 'failed') printNote(`warning: ${printableLine(outcome.error.message, 500)}`, io);
  }
}

export async function fleetLeave(options: CommonOptions, io: Io): Promise<ExitCode> {
  await using control = await findDaemon(options, io);
  const membership = control ? await control.leaveFleet({ signal: io.signal }) : await forget(options, io);
  if (options.json) printJson({ left: membership.fleet !== undefined, ...membership }, io);
  else if (membership.fleet === undefined) io.stdout.write('The daemon of this config belongs to no fleet.\n');
  else io.stdout.write(`Left the fleet "${membership.fleet}".\n`);
  return exitCodes.ok;
}

/** Without a daemon, only the stored membership exists. */
async function forget(options: CommonOptions, io: Io): Promise<Partial<Pick<Membership, 'fleet' | 'node'>>> {
  const file = fileOf(options, io);
  const known = await loadMembership(file).catch(() => undefined); // forgotten regardless of its content
  return (await deleteMembership(file)) && known ? { fleet: known.fleet, node: known.node } : {};
}

export interface FleetStatusOptions extends CommonOptions {
  readonly watch?: boolean;
}

/** The nodes of the fleet and their offers. Exits with 1 while this node is not part of one. */
export async function fleetStatus({ watch, ...options }: FleetStatusOptions, io: Io): Promise<ExitCode> {
  await using control = await findDaemon(options, io);
  if (watch) {
    const { watchFleet } = await import('../output/live/watch.js');
    return await watchFleet(control, options, io);
  }
  const report = (await control?.status({ signal: io.signal }))?.fleet;
  if (options.json) printJson({ joined: report?.phase === 'joined', ...(report && { fleet: report }) }, io);
  else if (report)
    io.stdout.write(`${fit(fleetHead(report), io.stdout)}${fleetTable(report, stylesFor(io.stdout, io), io.stdout)}`);
  else io.stdout.write(fit(await withoutFleet(options, io, { hasDaemon: control !== undefined }), io.stdout));
  return report?.phase === 'joined' ? exitCodes.ok : exitCodes.failed;
}

async function withoutFleet(
  options: CommonOptions,
  io: Io,
  { hasDaemon }: { readonly hasDaemon: boolean },
): Promise<string> {
  const known = hasDaemon ? undefined : await loadMembership(fileOf(options, io));
  if (known === undefined) return noFleet;
  return `No daemon is running for this config. It joins the fleet "${known.fleet}" as "${known.node}" when "mcpx up" starts it.\n`;
}

export interface FleetPermissionsOptions extends CommonOptions {
  readonly node?: readonly string[];
  readonly fleet?: string;
  /** Default: that of the servers. */
  readonly domain?: string;
  /** Adds a user with full access to the fleet's keys. Default `false`. */
  readonly administrator?: boolean;
}

const administratorName = 'administrator';

/**
 * Prints nats-server configuration by which each node may write and respond only under its own name. The passwords in
 * it are new and not stored.
 */
export async function fleetPermissions(options: FleetPermissionsOptions, io: Io): Promise<ExitCode> {
  const { node: names = [], fleet = 'default', domain, administrator: withAdministrator = false, json } = options;
  for (const name of names) requireName('--node', name);
  requireName('--fleet', fleet);
  if (domain !== undefined) requireName('--domain', domain);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new UsageError(`--node ${twice} is given twice.`, { hint: 'Name each node once.' });
  if (withAdministrator && names.includes(administratorName)) {
    throw new UsageError(
      `A node cannot be named "${administratorName}", because the administrator logs in by that name.`,
      {
        hint: 'Give the node another name.',
      },
    );
  }
  const { natsAccountsConfig } = await import('@x/mcp-fleet/nats');
  const login = (user: string) => ({ user, password: randomBytes(24).toString('base64url') });
  const nodes = names.map((node) => ({ node, ...login(node) }));
  const administrator = withAdministrator ? login(administratorName) : undefined;
  const config = natsAccountsConfig({ fleet, domain, nodes, administrator });
  if (json) {
    printJson({ fleet, nodes, ...(administrator && { administrator }), config }, io);
    return exitCodes.ok;
  }
  io.stdout.write(`${passwordNotes(nodes, fleet)}${administrator ? administratorNote(fleet) : ''}${config}`);
  printNote(
    'The passwords are new and stored nowhere else. nats-server also needs a "jetstream" block; see docs/cli.md.',
    io,
  );
  return exitCodes.ok;
}

function passwordNotes(nodes: readonly { readonly node: string }[], fleet: string): string {
  const named = nameOf(fleet);
  const lines = nodes.map(
    ({ node }) => `#   mcpx fleet join <nats-url>${named} --node ${node} --user ${node} --password-file <file>\n`,
  );
  return `# Each node joins with its own password in a file that only it can read:\n${lines.join('')}`;
}

function administratorNote(fleet: string): string {
  const login = `--user ${administratorName} --password-file <file>`;
  return `# An administrator removes the records of a lost node:\n#   mcpx fleet forget <node> <nats-url>${nameOf(fleet)} ${login}\n`;
}

function nameOf(fleet: string): string {
  return fleet === 'default' ? '' : ` --fleet ${fleet}`;
}

/** @throws {UsageError} The options are invalid or contradict each other. */
function planMembership(options: FleetJoinOptions, cwd: string): Membership {
  const { urls, fleet = 'default', node = nodeNameFrom(hostname()), domain, replicas } = options;
  if (node === undefined) {
    throw new UsageError('The name of this machine is not a valid node name.', { hint: 'Name the node with --node.' });
  }
  requireName('--node', node);
  requireName('--fleet', fleet);
  if (domain !== undefined) requireName('--domain', domain);
  if (replicas !== undefined && !isReplicas(replicas)) {
    throw new UsageError('--replicas must be a whole number from 1 to 5.', {
      hint: 'Use at most the number of NATS servers in the cluster.',
    });
  }
  return { servers: urls, fleet, node, login: loginFrom(options, cwd), domain, replicas, tls: tlsFrom(options, cwd) };
}

function fileOf(options: CommonOptions, io: Io): string | undefined {
  return membershipFile(io.stateDirectory, locateDaemon(options, io).paths.id);
}
