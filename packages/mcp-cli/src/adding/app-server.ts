import { CommandError, exitCodes, type Io } from '../command.js';
import { chosenHosts, hostPlace } from '../host-apps/hosts.js';
import { printableLine } from '../output/print.js';
import type { ServerEntry } from '../writing-config/host-entry.js';
import { readHosts } from '../writing-config/read-hosts.js';
import type { RemovedSecret } from '../writing-config/without-secrets.js';

export interface AppServer {
  /** Names variables in place of secrets. */
  readonly entry: ServerEntry;
  readonly secrets: readonly RemovedSecret[];
  /** Warnings about parts of the app's entry that the config does not have. */
  readonly notes: readonly string[];
  /** The user wrote the app's file. That of a project may be of another author. */
  readonly isOfUser: boolean;
}

/**
 * A server that a host app has.
 *
 * @param app - Id, family or short name of a host app, or `all` for the first that has a server of that name.
 * @throws {CommandError} The app is unknown, or has no such server.
 */
export async function readAppServer(name: string, app: string, io: Pick<Io, 'env' | 'cwd'>): Promise<AppServer> {
  const apps = app === 'all' ? [] : [app];
  const place = hostPlace(io, 'user', apps);
  const { servers, secrets, skipped, warnings } = await readHosts(await chosenHosts(apps, place, 'user'), place);
  const entry = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (entry === undefined) {
    const reason = skipped.find(({ server }) => server === name)?.reason;
    const why = reason === undefined ? 'it has none of this name' : reason;
    const names = Object.keys(servers).map((each) => `"${printableLine(each, 60)}"`);
    throw new CommandError(
      exitCodes.failed,
      `The server "${printableLine(name, 100)}" of "${app}" cannot be added: ${printableLine(why, 300)}. Nothing was written.`,
      {
        hint:
          names.length === 0
            ? 'Run "mcpx sync --list" to see where host apps keep their servers.'
            : `It has ${names.slice(0, 20).join(', ')}${names.length > 20 ? ` and ${names.length - 20} more` : ''}.`,
      },
    );
  }
  return {
    entry,
    secrets: secrets.filter(({ server }) => server === name),
    notes: warnings.filter(({ server }) => server === name).map(({ message }) => message),
    isOfUser: place.project === undefined,
  };
}
