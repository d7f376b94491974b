import { detectHosts, type HostPlace, listHosts } from '@x/mcp-host-sync';
import { CommandError, exitCodes } from '../exit-codes.js';
import type { ScopeChoice } from './host-place.js';

/**
 * The named host apps, or all that have a file of the scope.
 *
 * @throws {CommandError} None was named, and none is found.
 */
export async function chosenHosts(
  names: readonly string[],
  place: HostPlace,
  scope: ScopeChoice,
): Promise<readonly string[]> {
  if (names.length > 0) return names;
  const found = await foundHosts(place, scope);
  if (found.length > 0) return found.map(({ host }) => host);
  const where = scope === 'project' ? 'in this project' : 'of this user';
  throw new CommandError(exitCodes.failed, `No config file of a host app was found ${where}.`, {
    hint: `Name one, such as "cursor" or "claude". Known: ${families().join(', ')}.`,
  });
}

export async function foundHosts(place: HostPlace, scope: ScopeChoice): ReturnType<typeof detectHosts> {
  const found = await detectHosts(place);
  return found.filter((host) => (host.scope === 'user') === (scope === 'user'));
}

function families(): readonly string[] {
  return [...new Set(listHosts().map(({ family }) => family))];
}
