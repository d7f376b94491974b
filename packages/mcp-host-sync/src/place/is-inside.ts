import type { HostPlatform } from '../adapters/host-adapter.js';
import { pathsOf } from './host-place.js';

/**
 * True if `path` is the directory or below it, by segments: `/srv/app-evil` is not inside `/srv/app`. Both paths must
 * be resolved.
 */
export function isInside(directory: string, path: string, platform: HostPlatform): boolean {
  const { resolve, sep } = pathsOf(platform);
  // Windows ignores case. On macOS, resolved paths have one spelling.
  const spelled = (text: string) => (platform === 'win32' ? text.toLowerCase() : text);
  const segments = (text: string) => spelled(resolve(text)).split(sep).filter(Boolean);
  const outer = segments(directory);
  const inner = segments(path);
  return outer.every((segment, index) => segment === inner[index]);
}
