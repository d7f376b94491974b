import { stat } from 'node:fs/promises';
import type { HostAdapter } from '../adapters/host-adapter.js';
import { adapterPaths, type HostPath, isMovedByVariable, movingFile, pathBelow } from '../place/host-paths.js';
import { type HostPlace, pathsOf } from '../place/host-place.js';
import { systemCode } from './file-failure.js';
import { readJsonValue } from './read-json-value.js';

/**
 * Possible paths of a host's file, with a setting of the host that moves it. No file is created below a home, a project,
 * or a directory that a setting or variable names, if that directory is missing: its drive may not be mounted.
 */
export async function hostFilePaths(adapter: HostAdapter, place: HostPlace): Promise<readonly HostPath[]> {
  const moved = await movedBySetting(adapter, place);
  const paths = moved === undefined ? adapterPaths(adapter, place) : [moved];
  const isNamed = moved !== undefined || isMovedByVariable(adapter, place);
  const { normalize } = pathsOf(place.platform);
  const given = [place.home, place.project].flatMap((directory) =>
    directory === undefined ? [] : normalize(directory),
  );
  return Promise.all(
    paths.map(async (path) => {
      const mustExist = path.creates && (isNamed || given.includes(path.inside));
      return mustExist && (await isMissing(path.inside)) ? { ...path, creates: false } : path;
    }),
  );
}

async function movedBySetting(adapter: HostAdapter, place: HostPlace): Promise<HostPath | undefined> {
  const { movedBy } = adapter;
  const file = movingFile(adapter, place);
  if (movedBy === undefined || file === undefined) return undefined;
  return pathBelow(await readJsonValue(file, [movedBy.key]), movedBy.path, place);
}

/** False for a directory that cannot be examined, which is reported when the file is read. */
async function isMissing(directory: string): Promise<boolean> {
  return stat(directory).then(
    () => false,
    (error: unknown) => systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR',
  );
}
