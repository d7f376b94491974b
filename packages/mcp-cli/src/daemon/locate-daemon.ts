import { hostname, platform as systemPlatform, userInfo } from 'node:os';
import { basename, dirname, join, posix, resolve, win32 } from 'node:path';
import { hexDigest, realPath } from '@x/internal/files';
import type { Io } from '../command.js';
import { configNames } from '../config/config-names.js';
import {
  hasUserConfig,
  homeDirectory,
  hostProject,
  projectDirectory,
  searchedDirectory,
  statsOf,
} from '../config/find-project.js';
import { ControlError } from '../control/control-error.js';
import { makePrivateDirectory, requirePrivateDirectory } from './private-directory.js';

export interface DaemonOptions {
  /** Words of the command line; see `ConfigNames`. */
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
  return placeOf(configIdentityOf({ config }, { cwd, env }), { env, stateDirectory });
}

export function configIdentityOf({ config }: DaemonOptions, { cwd, env }: Pick<DaemonIo, 'cwd' | 'env'>): string {
  return configIdentity({ cwd, config, env, home: homeDirectory() });
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

interface ConfigPlace {
  /** Base of relative paths and start of the search. */
  readonly cwd: string;
  /** Words of the command line; see `ConfigNames`. Default: the nearest directory upward that has a config. */
  readonly config?: readonly string[] | undefined;
  /** Last directory of the upward search. */
  readonly home?: string | undefined;
  /** Only its variables for the user's directory count. Default: none. */
  readonly env?: DaemonIo['env'] | undefined;
}

/**
 * Id of a config's daemon: 16 hex digits, the same for all paths to one config on one machine. Loads no config, because
 * a command with a running daemon needs none.
 */
export function configIdentity({ cwd, config = [], home, env = {} }: ConfigPlace): string {
  const { files, hosts, envFiles } = configNames(config);
  const searched = searchedDirectory(files, cwd);
  const ofFiles =
    searched === undefined
      ? ['files', ...files.map((path) => namedPath(resolve(cwd, path)))]
      : ['found', realPath(searched)];
  const parts =
    hosts.length > 0
      ? ['hosts', hosts.toSorted(), hostProject(cwd, home) ?? 'user', ...ofFiles]
      : files.length > 0
        ? ofFiles
        : ['found', searchedPlace(cwd, home, env)];
  // Other values make other servers. Of two files the later one is stronger.
  const values = envFiles.length > 0 ? ['env', ...envFiles.map((path) => namedPath(resolve(cwd, path)))] : [];
  return hexDigest(JSON.stringify([hostname(), ...parts, ...values]), 16); // several machines may share a home directory
}

/** Without any config, files of host apps apply: see `config-source.ts`. */
function searchedPlace(cwd: string, home: string | undefined, env: DaemonIo['env']): string {
  const project = projectDirectory(cwd, home) ?? (hasUserConfig(env) ? undefined : hostProject(cwd, home));
  return project ?? 'user';
}

/** The target of a link to a file may change, as in a mounted ConfigMap, and the config stays the same one. */
function namedPath(path: string): string {
  const isDirectory = statsOf(path)?.isDirectory() ?? false;
  return isDirectory ? realPath(path) : join(realPath(dirname(path)), basename(path));
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
    hint: `Set ${platform === 'win32' ? 'LOCALAPPDATA' : 'HOME or XDG_RUNTIME_DIR'} to a directory of yours.`,
  });
}
