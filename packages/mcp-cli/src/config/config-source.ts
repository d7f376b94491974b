import type { LoadOptions } from '@x/mcp-config-schema/load';
import type { Io } from '../command.js';
import { configNames } from './config-names.js';
import { homeDirectory, hostProject, searchedDirectory } from './find-project.js';

/**
 * Options for loading what a command line names.
 *
 * - Nothing: the config that a search finds, or else the files of all host apps.
 * - Hosts: their files alone.
 * - The file or directory that a search would find: the same as in that directory.
 * - Other files: only these.
 *
 * @param words - From `--config`, `--from` and `--env-file`; see `ConfigNames`.
 */
export function configSource(words: readonly string[] | undefined, { cwd, env }: Pick<Io, 'cwd' | 'env'>): LoadOptions {
  const { files, hosts, envFiles } = configNames(words);
  const place = { cwd, env, ...(envFiles.length > 0 && { envFiles }) };
  const searched = searchedDirectory(files, cwd);
  const named: LoadOptions =
    searched !== undefined
      ? { ...place, files: [searched], layers: ['project', 'user'] }
      : files.length > 0
        ? { ...place, files }
        : place;
  if (hosts.length === 0 && files.length > 0) return named;
  const read = readerOfHosts(hosts, place);
  return { ...named, given: { when: hosts.length > 0 ? 'always' : 'no-files', read } };
}

type ReadHosts = NonNullable<LoadOptions['given']>['read'];

/** Loads the code for host apps at the first reading. */
function readerOfHosts(hosts: readonly string[], { cwd, env }: Pick<Io, 'cwd' | 'env'>): ReadHosts {
  let reader: Promise<ReadHosts> | undefined;
  return async () => {
    reader ??= import('../host-apps/host-texts.js').then(({ hostTextReader }) =>
      hostTextReader(hosts, { cwd, env, project: hostProject(cwd, homeDirectory()) }),
    );
    return (await reader)();
  };
}
