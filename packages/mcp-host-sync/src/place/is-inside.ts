import type { HostPlatform } from '../adapters/host-adapter.js';
import { pathsOf } from './host-place.js';

/**
 * Whether `path` is a directory's own path or below it, compared segment by segment: `/srv/app-evil` is not inside
 * `/srv/app`. Both must be resolved already; links, `..` and short names are gone then.
 */
export function isInside(directory: string, path: string, platform: HostPlatform): boolean {
  const { resolve, sep } = pathsOf(platform);
  // Windows paths do not differ by case. Those of a Mac may, depending on the disk, and are resolved to one spelling.
  const spelled = (text: string) => (platform === 'win32' ? text.toLowerCase() : text);
  const segments = (text: string) => spelled(resolve(text)).split(sep).filter(Boolean);
  const outer = segments(directory);
  const inner = segments(path);
  return outer.every((segment, index) => segment === inner[index]);
}
