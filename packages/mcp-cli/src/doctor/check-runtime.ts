import { delimiter, isAbsolute } from 'node:path';
import { error, type Finding, ok, warning } from './finding.js';

/** Lowest supported minor version of each line; all lines from `fromMajor` are supported. */
const lowestMinor: Readonly<Record<number, number>> = { 20: 19, 22: 13 };
const fromMajor = 24;

/** @param version - Such as `20.19.0`. */
export function checkRuntime(version: string): Finding {
  if (isSupported(version)) return ok('runtime', `Node ${version}`);
  return error('runtime', `Node ${version} is not supported`, 'install Node 20.19, 22.13, or 24 and later');
}

export function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major >= fromMajor || minor >= (lowestMinor[major] ?? Number.POSITIVE_INFINITY);
}

export function checkPath(path: string | undefined): Finding {
  const entries = (path ?? '').split(delimiter).filter((entry) => entry !== '');
  if (entries.length === 0) {
    return error(
      'path',
      'PATH is empty, so no command can be found',
      'set PATH, for example in the profile of your shell',
    );
  }
  const relative = entries.filter((entry) => !isAbsolute(entry));
  if (relative.length === 0) return ok('path', `PATH has ${entries.length} directories`);
  return warning(
    'path',
    `PATH has ${relative.join(', ')}, so commands depend on the working directory`,
    'remove relative directories from PATH',
  );
}
