import { posix, win32 } from 'node:path';
import { ControlError } from '../control/control-error.js';

/** What of a machine decides where a daemon keeps its files. */
export interface Place {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `undefined` where users have no number. */
  readonly userId: number | undefined;
  /** Absolute; `undefined` for a user without a home. */
  readonly stateDirectory: string | undefined;
}

/** Where one daemon keeps its files. */
export interface DaemonPaths {
  /** Which daemon: 16 hexadecimal digits that follow from its config. */
  readonly id: string;
  /** Directories from the outermost on that must be this user's alone. */
  readonly privateDirectories: readonly string[];
  /** Holds the locks and the state file. */
  readonly directory: string;
  readonly stateFile: string;
  readonly logFile: string;
  /** Where the daemon listens. `nonce`: hexadecimal digits that nobody can guess, new for each start. */
  socketPath(nonce: string): string;
  /** Where sockets of this daemon are files; `undefined` where they are none. */
  readonly socketDirectory: string | undefined;
  /** Whether a file of that directory is, or was, a socket of this daemon. */
  isSocketName(name: string): boolean;
}

/** Unix sockets with a longer path than 103 bytes cannot be opened on every system. */
const maxSocketBytes = 100;
const NO_NONCE = '0'.repeat(12);

/**
 * Files of the daemon with this id. `$XDG_RUNTIME_DIR` is of one machine and one user by its definition, so it comes
 * first; the state directory stands in where there is none.
 *
 * @throws {ControlError} `daemon-start-failed`: there is no place for them.
 */
export function daemonPaths(id: string, place: Place): DaemonPaths {
  const { join } = place.platform === 'win32' ? win32 : posix;
  const root = rootOf(place, join);
  const directory = join(root, id);
  const isNear = Buffer.byteLength(join(directory, socketName(NO_NONCE))) <= maxSocketBytes;
  // A fixed short place for homes with long names. It is checked like every other, so whoever took it first is noticed.
  const far = `/tmp/mcpx-${place.userId ?? 0}`;
  const prefix = isNear ? '' : `${id}.`; // the short place is one for all daemons of the user
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
  // The XDG rules say that a relative path is to be ignored.
  if (platform !== 'win32' && runtime !== undefined && posix.isAbsolute(runtime)) return join(runtime, 'mcpx');
  if (stateDirectory !== undefined) return join(stateDirectory, 'run');
  throw new ControlError('daemon-start-failed', 'There is no directory in which a daemon could keep its files.', {
    hint: 'Set HOME or XDG_RUNTIME_DIR to a directory of yours.',
  });
}
