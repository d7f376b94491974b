import { lstat, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { isPlanted } from '@x/mcp-config-schema/load';
import {
  type HostInfo,
  type HostPlace,
  type HostReading,
  hostPaths,
  isHostFileError,
  readHost,
} from '@x/mcp-host-sync';

/** What a host app's file contains. */
export interface AppReading extends HostReading {
  readonly app: HostInfo;
}

/** A file that is not used, or only as it was before. */
export interface FileFault {
  readonly file: string;
  readonly reason: string;
}

export interface AppReadings {
  readonly readings: readonly AppReading[];
  readonly faults: readonly FileFault[];
  /** False if servers of the user may have names that are not known. */
  readonly areUserNamesKnown: boolean;
}

/** Reads apps that have a file. One that is faulty, such as during a save, counts as it was when it was last sound. */
export function appReader(place: HostPlace): (apps: readonly HostInfo[]) => Promise<AppReadings> {
  const sound = new Map<string, AppReading>();
  return async (apps) => {
    const readings: AppReading[] = [];
    const faults: FileFault[] = [];
    let areUserNamesKnown = true;
    for (const app of apps) {
      const { reading, fault } = await readApp(app, place);
      const last = sound.get(app.id);
      const isKept = fault !== undefined && !fault.isPlanted && last !== undefined;
      const used = isKept ? last : reading;
      if (used === undefined) sound.delete(app.id);
      else {
        sound.set(app.id, used);
        readings.push(used);
      }
      if (fault === undefined) continue;
      const { file, reason } = fault;
      faults.push({ file, reason: isKept ? `${reason}; its servers stay as they were` : reason });
      if (app.scope !== 'project' && !isKept) areUserNamesKnown = false;
    }
    return { readings, faults, areUserNamesKnown };
  };
}

interface AppOutcome {
  /** Absent without a file. */
  readonly reading?: AppReading;
  readonly fault?: FileFault & { readonly isPlanted: boolean };
}

async function readApp(app: HostInfo, place: HostPlace): Promise<AppOutcome> {
  try {
    if (!(await mayHaveFile(app, place))) return {};
    const reading = await readHost(app.id, place);
    if (!reading.exists) return {};
    const { file } = reading;
    if (app.scope === 'project' && place.project !== undefined && (await isOfStranger(file, place.project))) {
      const reason = 'it belongs to another user and is in a world-writable directory';
      return { fault: { file, reason, isPlanted: true } };
    }
    return { reading: { ...reading, app } };
  } catch (error) {
    if (!isHostFileError(error)) throw error;
    const file = error.file ?? filePaths(app, place)[0] ?? app.name;
    return { fault: { file, reason: error.message, isPlanted: false } };
  }
}

async function mayHaveFile({ id }: HostInfo, place: HostPlace): Promise<boolean> {
  const candidates = hostPaths(id, place).map(async ({ path, kind, mayMove }) => {
    if (kind !== 'file' || mayMove === true) return true;
    // What cannot be examined may be there; the reading reports it.
    return await lstat(path).then(
      () => true,
      ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT' && code !== 'ENOTDIR',
    );
  });
  return (await Promise.all(candidates)).includes(true);
}

/** Paths at which the app's file can be, without those of patterns. */
export function filePaths({ id }: HostInfo, place: HostPlace): readonly string[] {
  try {
    return hostPaths(id, place).flatMap(({ path, kind }) => (kind === 'file' ? [path] : []));
  } catch {
    return []; // a relative path in a variable of the app, which the reading reports
  }
}

/** True if another user can have put the file into the project, by the rule that holds for config files. */
async function isOfStranger(file: string, project: string): Promise<boolean> {
  const { uid: user } = userInfo();
  if (user < 0) return false; // Windows has no numeric user ids
  try {
    const owners = [await lstat(file), await stat(file)].map(({ uid }) => uid);
    const directories = await Promise.all(directoriesUpTo(project, file).map((directory) => stat(directory)));
    return isPlanted({ owners, directoryModes: directories.map(({ mode }) => mode) }, user);
  } catch {
    return true; // it has disappeared, and its owner with it
  }
}

function directoriesUpTo(project: string, file: string): readonly string[] {
  const directories = [dirname(file)];
  for (let last = dirname(file); last !== project && dirname(last) !== last; ) {
    last = dirname(last);
    directories.push(last);
  }
  return directories;
}
