import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { CommonOptions } from '../command-options.js';
import { ensureDaemon } from '../daemon/ensure-daemon.js';
import { findDaemon } from '../daemon/find-daemon.js';
import { locateDaemon } from '../daemon/locate-daemon.js';
import { type ExitCode, exitCodes, UsageError } from '../exit-codes.js';
import { hostNameFrom, isName, type Login, type Membership } from '../fleet/membership.js';
import { forgetMembership, membershipFile, rememberedMembership } from '../fleet/membership-file.js';
import type { Io } from '../io.js';
import { fleetHead, fleetTable } from '../output/fleet-table.js';
import { printJson } from '../output/print-json.js';
import { printable } from '../output/printable.js';
import { stylesFor } from '../output/styles.js';

export interface FleetJoinOptions extends CommonOptions {
  readonly urls: readonly string[];
  /** Default: the name of this machine, made fit. */
  readonly host?: string;
  /** Default `default`. */
  readonly fleet?: string;
  readonly creds?: string;
  readonly user?: string;
  readonly passwordFile?: string;
  readonly tokenFile?: string;
  readonly nkeyFile?: string;
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  /** `false` for `--no-wait`. */
  readonly wait?: boolean;
}

/**
 * `mcpx fleet join <nats-url…>`: has the daemon join a fleet, from now on whenever it runs. Exits with 1 when the servers
 * cannot be reached yet; the daemon goes on trying.
 */
export async function fleetJoin(options: FleetJoinOptions, io: Io): Promise<ExitCode> {
  const membership = planMembership(options, io.cwd);
  await using control = await ensureDaemon({ config: options.config }, io);
  const { report, waitingFor } = await control.joinFleet(membership, {
    wait: options.wait ?? true,
    signal: io.signal,
  });
  if (options.json) printJson(report, io);
  else if (waitingFor === undefined) io.stdout.write(fleetHead(report));
  if (waitingFor === undefined) return exitCodes.ok;
  const later = 'The daemon goes on trying; "mcpx fleet status" shows how it is, and "mcpx fleet leave" gives up.';
  io.stderr.write(`warning: ${printable(waitingFor)}\n${later}\n`);
  return exitCodes.failed;
}

/** `mcpx fleet leave`: has the daemon leave its fleet and forget it. */
export async function fleetLeave(options: CommonOptions, io: Io): Promise<ExitCode> {
  await using control = await findDaemon(options, io);
  const left = control ? await control.leaveFleet({ signal: io.signal }) : await forget(options, io);
  if (options.json) printJson({ left: left.fleet !== undefined, ...left }, io);
  else if (left.fleet === undefined) io.stdout.write('The daemon of this config belongs to no fleet.\n');
  else io.stdout.write(`Left the fleet "${left.fleet}".\n`);
  return exitCodes.ok;
}

/** Without a daemon there is only what the next one would join. */
async function forget(options: CommonOptions, io: Io): Promise<Partial<Pick<Membership, 'fleet' | 'host'>>> {
  const file = fileOf(options, io);
  const known = await rememberedMembership(file).catch(() => undefined); // it is forgotten whatever it says
  return (await forgetMembership(file)) && known ? { fleet: known.fleet, host: known.host } : {};
}

/** `mcpx fleet status`: the hosts of the fleet and what they offer. Exits with 1 while this host is no part of one. */
export async function fleetStatus(options: CommonOptions, io: Io): Promise<ExitCode> {
  await using control = await findDaemon(options, io);
  const report = (await control?.status({ signal: io.signal }))?.fleet;
  if (options.json) printJson({ joined: report?.phase === 'joined', ...(report && { fleet: report }) }, io);
  else if (report) io.stdout.write(`${fleetHead(report)}${fleetTable(report, stylesFor(io.stdout, io))}`);
  else io.stdout.write(await withoutFleet(options, io, { hasDaemon: control !== undefined }));
  return report?.phase === 'joined' ? exitCodes.ok : exitCodes.failed;
}

async function withoutFleet(
  options: CommonOptions,
  io: Io,
  { hasDaemon }: { readonly hasDaemon: boolean },
): Promise<string> {
  const known = hasDaemon ? undefined : await rememberedMembership(fileOf(options, io));
  if (known === undefined) return 'The daemon of this config belongs to no fleet. "mcpx fleet join" joins one.\n';
  return `No daemon runs for this config. It joins the fleet "${known.fleet}" as "${known.host}" when "mcpx up" starts it.\n`;
}

export interface FleetPermissionsOptions extends CommonOptions {
  readonly host?: readonly string[];
  readonly fleet?: string;
}

/**
 * `mcpx fleet permissions`: a part of a nats-server's configuration in which each host may write and answer only in its
 * own name. With new passwords, which are kept nowhere.
 */
export async function fleetPermissions(options: FleetPermissionsOptions, io: Io): Promise<ExitCode> {
  const { host: names = [], fleet = 'default', json } = options;
  for (const name of names) requireName('--host', name);
  requireName('--fleet', fleet);
  if (new Set(names).size < names.length) throw new UsageError('A --host is named twice.');
  const { natsAccountsConfig } = await import('@x/mcp-fleet/nats');
  const hosts = names.map((host) => ({ host, user: host, password: randomBytes(24).toString('base64url') }));
  const config = natsAccountsConfig({ fleet, hosts });
  if (json) {
    printJson({ fleet, hosts, config }, io);
    return exitCodes.ok;
  }
  io.stdout.write(`${passwordNotes(hosts, fleet)}${config}`);
  io.stderr.write(
    'The passwords are new, and kept nowhere else. nats-server needs a "jetstream" block beside this; see docs/cli.md.\n',
  );
  return exitCodes.ok;
}

function passwordNotes(hosts: readonly { readonly host: string }[], fleet: string): string {
  const named = fleet === 'default' ? '' : ` --fleet ${fleet}`;
  const lines = hosts.map(
    ({ host }) => `#   mcpx fleet join <nats-url>${named} --host ${host} --user ${host} --password-file <file>\n`,
  );
  return `# Each host joins with its own password in a file that only it can read:\n${lines.join('')}`;
}

/** @throws {UsageError} Options that make no sense, or do not go together. */
function planMembership(options: FleetJoinOptions, cwd: string): Membership {
  const { urls, fleet = 'default', host = hostNameFrom(hostname()) } = options;
  if (host === undefined) {
    throw new UsageError('The name of this machine cannot be made a name in the fleet.', { hint: 'Give --host NAME.' });
  }
  requireName('--host', host);
  requireName('--fleet', fleet);
  const file = (path: string): string => resolve(cwd, path);
  const tls = planTls(options, file);
  return { servers: urls, fleet, host, login: planLogin(options, file), ...(tls && { tls }) };
}

function planLogin(
  { creds, user, passwordFile, tokenFile, nkeyFile }: FleetJoinOptions,
  file: (path: string) => string,
): Login {
  if ((user === undefined) !== (passwordFile === undefined)) {
    throw new UsageError('--user and --password-file go together, and one of them is missing.');
  }
  const ways: readonly (readonly [flag: string, login: Login])[] = [
    ...(creds === undefined ? [] : [['--creds', { kind: 'credentials', file: file(creds) }] as const]),
    ...(user === undefined || passwordFile === undefined
      ? []
      : [['--user', { kind: 'password', user, file: file(passwordFile) }] as const]),
    ...(tokenFile === undefined ? [] : [['--token-file', { kind: 'token', file: file(tokenFile) }] as const]),
    ...(nkeyFile === undefined ? [] : [['--nkey-file', { kind: 'nkey', file: file(nkeyFile) }] as const]),
  ];
  if (ways.length > 1) {
    throw new UsageError(`${ways.map(([flag]) => flag).join(' and ')} are different ways to log in.`, {
      hint: 'Give one of them.',
    });
  }
  return ways[0]?.[1] ?? { kind: 'none' };
}

function planTls(
  { tlsCa, tlsCert, tlsKey }: FleetJoinOptions,
  file: (path: string) => string,
): Membership['tls'] | undefined {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    const missing = tlsCert === undefined ? '--tls-cert' : '--tls-key';
    throw new UsageError(`A certificate of this host needs its key, and ${missing} is missing.`, {
      hint: 'Give --tls-cert FILE and --tls-key FILE.',
    });
  }
  if (tlsCa === undefined && tlsCert === undefined) return undefined;
  return {
    ...(tlsCa !== undefined && { caFile: file(tlsCa) }),
    ...(tlsCert !== undefined && { certFile: file(tlsCert) }),
    ...(tlsKey !== undefined && { keyFile: file(tlsKey) }),
  };
}

function requireName(flag: string, name: string): void {
  if (isName(name)) return;
  throw new UsageError(`${flag} ${JSON.stringify(name)} is no name: 1 to 64 of A-Z, a-z, 0-9, _ and -.`, {
    hint: `Such as: ${flag} ${hostNameFrom(name) ?? 'build-1'}`,
  });
}

function fileOf(options: CommonOptions, io: Io): string | undefined {
  return membershipFile(io.stateDirectory, locateDaemon(options, io).paths.id);
}
