import { posix, win32 } from 'node:path';
import { ControlError } from '../control/control-error.js';

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
const NO_NONCE = '0'.repeat(12);

/**
 * Uses `$XDG_RUNTIME_DIR`, which belongs to one machine and one user by definition, else the state directory.
 *
 * @throws {ControlError} `daemon-start-failed`: neither exists.
 */
export function daemonPaths(id: string, place: Place): DaemonPaths {
  const { join } = place.platform === 'win32' ? win32 : posix;
  const root = rootOf(place, join);
  const directory = join(root, id);
  const isNear = Buffer.byteLength(join(directory, socketName(NO_NONCE))) <= maxSocketBytes;
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
  return `${nonce.slice(0, NO_NONCE.length)}.sock`;
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
