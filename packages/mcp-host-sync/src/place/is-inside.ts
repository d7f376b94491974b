import type { HostPlatform } from '../adapters/host-adapter.js';
import { pathsOf } from './host-place.js';

/**
 * True if `path` is the directory or below it. Compares by segment: `/srv/app-evil` is not inside `/srv/app`. Both
 * paths must be resolved, without links, `..` and short names.
 */
export function isInside(directory: string, path: string, platform: HostPlatform): boolean {
  const { resolve, sep } = pathsOf(platform);
  // Windows ignores case. macOS may, depending on the disk; resolved paths have one spelling there.
  const spelled = (text: string) => (platform === 'win32' ? text.toLowerCase() : text);
  const segments = (text: string) => spelled(resolve(text)).split(sep).filter(Boolean);
  const outer = segments(directory);
  const inner = segments(path);
  return outer.every((segment, index) => segment === inner[index]);
}
