import { readFileSync, statSync } from 'node:fs';
import { homedir, hostname, platform as systemPlatform, userInfo } from 'node:os';
import { basename, dirname, join, posix, resolve, win32 } from 'node:path';
import { hexDigest, realPath } from '@x/internal/files';
import type { Io } from '../command.js';
import { ControlError } from '../control/control-error.js';
import { makePrivateDirectory, requirePrivateDirectory } from './private-directory.js';

export interface DaemonOptions {
  /** Files or directories of the command line. */
  readonly config?: readonly string[] | undefined;
}

export interface DaemonPlace {
  readonly paths: DaemonPaths;
  readonly userId: number | undefined;
}

export type DaemonIo = Pick<Io, 'cwd' | 'env' | 'stateDirectory' | 'signal' | 'daemonPrograms'> & {
  /** Receives what the daemon has to say to its user. Default: nothing is printed. */
  readonly stderr?: Io['stderr'] | undefined;
};

/** Paths of a config's daemon, running or not. */
export function locateDaemon({ config }: DaemonOptions, { cwd, env, stateDirectory }: DaemonIo): DaemonPlace {
  return placeOf(configIdentityOf({ config }, { cwd }), { env, stateDirectory });
}

export function configIdentityOf({ config }: DaemonOptions, { cwd }: Pick<DaemonIo, 'cwd'>): string {
  return configIdentity({ cwd, config, home: home() });
}

export function placeOf(
  id: string,
  { env, stateDirectory }: { readonly env: DaemonIo['env']; readonly stateDirectory?: string | undefined },
): DaemonPlace {
  const userId = currentUserId();
  return { userId, paths: daemonPaths(id, { platform: systemPlatform(), env, userId, stateDirectory }) };
}

/** @throws {ControlError} `unsafe-directory`: nothing in it can be trusted. */
export async function isPlaceThere({ paths, userId }: DaemonPlace): Promise<boolean> {
  for (const directory of paths.privateDirectories) {
    if (!(await requirePrivateDirectory(directory, userId))) return false;
  }
  return true;
}

/** @throws {ControlError} `unsafe-directory`. */
export async function createPlace({ paths, userId }: DaemonPlace): Promise<void> {
  for (const directory of paths.privateDirectories) await makePrivateDirectory(directory, userId);
}

function currentUserId(): number | undefined {
  const { uid } = userInfo();
  return uid < 0 ? undefined : uid; // Windows has no numeric user ids
}

function home(): string | undefined {
  try {
    return resolve(homedir());
  } catch {
    return undefined;
  }
}

/** Files that mark a project directory. A test compares these lists with those of `loadConfig`. */
const serverFiles = [
  'mcp_servers.yaml',
  'mcp_servers.yml',
  join('config', 'mcp_servers.yaml'),
  join('config', 'mcp_servers.yml'),
  '.mcp.json',
  'mcp-servers.json',
];

/** They mark one if no directory has servers, and if they have keys of ours. */
const toolsFiles = ['tools.yaml', 'tools.yml', join('config', 'tools.yaml'), join('config', 'tools.yml')];
const ownKeys = /mcp_?tool|role_?restriction/i;

interface ConfigPlace {
  /** Base of relative paths and start of the search. */
  readonly cwd: string;
  /** Files or directories of the command line. Default: the nearest directory upward that has a config. */
  readonly config?: readonly string[] | undefined;
  /** Last directory of the upward search. */
  readonly home?: string | undefined;
}

/**
 * Id of a config's daemon: 16 hex digits, the same for all paths to one config on one machine. Loads no config, because
 * a command with a running daemon needs none.
 */
export function configIdentity({ cwd, config, home }: ConfigPlace): string {
  const parts = config?.length
    ? ['files', ...config.map((path) => namedPath(resolve(cwd, path)))]
    : ['found', projectDirectory(cwd, home) ?? 'user'];
  return hexDigest(JSON.stringify([hostname(), ...parts]), 16); // several machines may share a home directory
}

/** The target of a link to a file may change, as in a mounted ConfigMap, and the config stays the same one. */
function namedPath(path: string): string {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isDirectory ? realPath(path) : join(realPath(dirname(path)), basename(path));
}

/** `undefined` if only the user's config applies. */
function projectDirectory(cwd: string, home: string | undefined): string | undefined {
  return (
    nearest(cwd, home, (directory) => serverFiles.some((name) => isFile(join(directory, name)))) ??
    nearest(cwd, home, (directory) => toolsFiles.some((name) => isOwnFile(join(directory, name))))
  );
}

function nearest(cwd: string, home: string | undefined, isMarked: (directory: string) => boolean): string | undefined {
  for (let current = resolve(cwd); ; current = dirname(current)) {
    if (isMarked(current)) return realPath(current);
    if (current === home || dirname(current) === current) return undefined;
  }
}

function isOwnFile(path: string): boolean {
  if (!isFile(path)) return false;
  try {
    return ownKeys.test(readFileSync(path, 'utf8'));
  } catch {
    return true; // loading the config reports it
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

export interface Place {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `undefined` where users have no numeric id. */
  readonly userId: number | undefined;
  /** Absolute; `undefined` for a user without a home directory. */
  readonly stateDirectory: string | undefined;
}

export interface DaemonPaths {
  /** From `configIdentity`. */
  readonly id: string;
  /** Outermost first. Must be private to this user. */
  readonly privateDirectories: readonly string[];
  /** Contains the locks and the state file. */
  readonly directory: string;
  readonly stateFile: string;
  readonly logFile: string;
  /** `nonce`: unguessable hex digits, new for each start. */
  socketPath(nonce: string): string;
  /** `undefined` where sockets are no files. */
  readonly socketDirectory: string | undefined;
  /** True for a file of that directory that is or was a socket of this daemon. */
  isSocketName(name: string): boolean;
}

/** Some systems limit socket paths to 103 bytes. */
const maxSocketBytes = 100;
const zeroNonce = '0'.repeat(12);

/**
 * Uses `$XDG_RUNTIME_DIR`, which belongs to one machine and one user by definition, else the state directory.
 *
 * @throws {ControlError} `daemon-start-failed`: neither exists.
 */
export function daemonPaths(id: string, place: Place): DaemonPaths {
  const { join } = place.platform === 'win32' ? win32 : posix;
  const root = rootOf(place, join);
  const directory = join(root, id);
  const isNear = Buffer.byteLength(join(directory, socketName(zeroNonce))) <= maxSocketBytes;
  // A short path for homes with long names. Its ownership is checked like that of every other directory.
  const far = `/tmp/mcpx-${place.userId ?? 0}`;
  const prefix = isNear ? '' : `${id}.`; // all daemons of the user share `far`
  const socketDirectory = place.platform === 'win32' ? undefined : isNear ? directory : far;
  return {
    id,
    privateDirectories: [root, directory, ...(socketDirectory === far ? [far] : [])],
    directory,
    stateFile: join(directory, 'state.json'),
    logFile:
      place.stateDirectory === undefined
        ? join(directory, 'daemon.log')
        : join(place.stateDirectory, 'daemon', `${id}.log`),
    socketPath: (nonce) =>
      socketDirectory === undefined
        ? `\\\\.\\pipe\\mcpx-${id}-${nonce}`
        : posix.join(socketDirectory, `${prefix}${socketName(nonce)}`),
    socketDirectory,
    isSocketName: (name) => name.startsWith(prefix) && /^[0-9a-f]{12}\.sock$/.test(name.slice(prefix.length)),
  };
}

function socketName(nonce: string): string {
  return `${nonce.slice(0, zeroNonce.length)}.sock`;
}

function rootOf({ platform, env, stateDirectory }: Place, join: typeof posix.join): string {
  const runtime = env.XDG_RUNTIME_DIR;
  // The XDG specification ignores relative paths.
  if (platform !== 'win32' && runtime !== undefined && posix.isAbsolute(runtime)) return join(runtime, 'mcpx');
  if (stateDirectory !== undefined) return join(stateDirectory, 'run');
  throw new ControlError('daemon-start-failed', 'There is no directory for the files of a daemon.', {
    hint: 'Set HOME or XDG_RUNTIME_DIR to a directory of yours.',
  });
}
