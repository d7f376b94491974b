import type { HostAdapter } from '../adapters/host-adapter.js';
import { adapterPaths, type HostPath, movingFile, pathBelow } from '../place/host-paths.js';
import type { HostPlace } from '../place/host-place.js';
import { readJsonValue } from './read-json-value.js';

/** Possible paths of a host's file, with a setting of the host that moves it. */
export async function hostFilePaths(adapter: HostAdapter, place: HostPlace): Promise<readonly HostPath[]> {
  const paths = adapterPaths(adapter, place);
  const { movedBy } = adapter;
  const file = movingFile(adapter, place);
  if (movedBy === undefined || file === undefined) return paths;
  const moved = pathBelow(await readJsonValue(file, [movedBy.key]), movedBy.path, place);
  return moved === undefined ? paths : [moved];
}
