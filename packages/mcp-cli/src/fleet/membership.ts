import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, replaceFile } from '@x/internal/files';
import { isRecord, parseJson } from '@x/internal/json';
import { CommandError, exitCodes, UsageError } from '../command.js';

/** The fleet of a daemon and its login. Names files of secrets, never a secret. */
export interface Membership {
  /** Addresses of the NATS servers, as given. */
  readonly servers: readonly string[];
  readonly fleet: string;
  readonly node: string;
  readonly login: Login;
  /** JetStream domain of the fleet's keys. Default: that of the servers. */
  readonly domain?: string | undefined;
  /** Copies of the fleet's keys in a cluster. Default: 1. The first node to join decides. */
  readonly replicas?: number | undefined;
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string } | undefined;
}

/** All paths are absolute. */
export type Login =
  | { readonly kind: 'none' }
  | { readonly kind: 'credentials'; readonly file: string }
  | { readonly kind: 'password'; readonly user: string; readonly file: string }
  | { readonly kind: 'token'; readonly file: string }
  | { readonly kind: 'nkey'; readonly file: string };

/** `undefined` for a value that no command of ours has written. */
export function readMembership(value: unknown): Membership | undefined {
  if (!isRecord(value)) return undefined;
  const { servers, fleet, node, login, domain, replicas, tls } = value;
  if (!Array.isArray(servers) || servers.length === 0 || !servers.every(isText)) return undefined;
  if (!isName(fleet) || !isName(node) || !isLogin(login)) return undefined;
  if (tls !== undefined && !(isRecord(tls) && Object.values(tls).every(isText))) return undefined;
  if (domain !== undefined && !isName(domain)) return undefined;
  if (replicas !== undefined && !isReplicas(replicas)) return undefined;
  return { servers, fleet, node, login, ...(domain && { domain }), ...(replicas && { replicas }), ...(tls && { tls }) };
}

export function isSameMembership(one: Membership, other: Membership): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** Rule for the names of fleets and nodes. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value);
}

export function isReplicas(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 5;
}

/** A machine's name adapted to the rule; `undefined` if nothing remains. */
export function nodeNameFrom(machine: string): string | undefined {
  const [label = ''] = machine.split('.');
  const name = label
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
  return name === '' ? undefined : name;
}

function isLogin(value: unknown): value is Login {
  if (!isRecord(value)) return false;
  if (value.kind === 'none') return true;
  if (!isText(value.file)) return false;
  if (value.kind === 'password') return isText(value.user);
  return value.kind === 'credentials' || value.kind === 'token' || value.kind === 'nkey';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function sorted({ servers, fleet, node, login, domain, tls = {} }: Membership): readonly unknown[] {
  return [servers, fleet, node, domain, Object.entries(login).toSorted(), Object.entries(tls).toSorted()];
}

/** File of a daemon's membership, in the user's state and never in the project. */
export function membershipFile(stateDirectory: string | undefined, daemonId: string): string | undefined {
  return stateDirectory === undefined ? undefined : join(stateDirectory, 'fleet', `${daemonId}.json`);
}

/** @throws {CommandError} The file cannot be read, or is not one of ours. */
export async function loadMembership(file: string | undefined): Promise<Membership | undefined> {
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw unreadable(file, codeOf(cause) ?? String(cause), cause);
  }
  const membership = readMembership(parseJson(text));
  if (membership === undefined) throw unreadable(file, 'it is not what "mcpx fleet join" writes');
  return membership;
}

/** @throws {CommandError} There is no directory for it, or it cannot be written. */
export async function storeMembership(file: string | undefined, membership: Membership): Promise<void> {
  if (file === undefined) {
    throw new UsageError('There is no directory to store the membership in a fleet in.', {
      hint: 'Set HOME to a directory of yours.',
    });
  }
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, `${JSON.stringify({ format: 1, ...membership }, null, 2)}\n`);
  } catch (cause) {
    throw new CommandError(
      exitCodes.failed,
      `The membership in a fleet cannot be stored in ${file}: ${codeOf(cause) ?? String(cause)}.`,
      { hint: 'Nothing has changed. Make its directory writable.', cause },
    );
  }
}

/**
 * @returns `true` if there was one.
 * @throws {CommandError} It cannot be removed.
 */
export async function deleteMembership(file: string | undefined): Promise<boolean> {
  if (file === undefined) return false;
  try {
    await rm(file);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return false;
    throw new CommandError(exitCodes.failed, `${file} cannot be removed: ${codeOf(cause) ?? String(cause)}.`, {
      hint: 'Remove it yourself; until then the daemon joins the fleet again when it is started.',
      cause,
    });
  }
}

function unreadable(file: string, reason: string, cause?: unknown): CommandError {
  return new CommandError(exitCodes.failed, `The membership in a fleet cannot be read from ${file}: ${reason}.`, {
    hint: 'Run "mcpx fleet leave" to forget it, and then "mcpx fleet join" again.',
    cause,
  });
}
