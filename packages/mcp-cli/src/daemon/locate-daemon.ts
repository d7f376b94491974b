import { homedir, platform as systemPlatform, userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { Io } from '../command.js';
import { configIdentity } from './config-identity.js';
import { makePrivateDirectory, requirePrivateDirectory } from './private-directory.js';
import { type DaemonPaths, daemonPaths } from './runtime-paths.js';

export interface DaemonOptions {
  /** Files or directories of the command line. */
  readonly config?: readonly string[] | undefined;
}

export interface DaemonPlace {
  readonly paths: DaemonPaths;
  readonly userId: number | undefined;
}

export type DaemonIo = Pick<Io, 'cwd' | 'env' | 'stateDirectory' | 'signal' | 'daemonPrograms'>;

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
export async function makePlace({ paths, userId }: DaemonPlace): Promise<void> {
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
