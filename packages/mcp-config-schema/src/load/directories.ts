import { resolve } from 'node:path';
import type { Config, ServerConfig } from '../config.js';
import { defaultLogDirectory } from '../schema/mcp-servers-file.js';
import { escapeReferences } from '../template/keep-variables.js';
import type { LoadPolicy } from './load-options.js';
import type { LogDirectories } from './log-directories.js';
import type { ReadFile } from './read-files.js';

/**
 * Makes relative directories absolute, from the root of their file. A server of the user never runs in a project that
 * it does not name: programs such as `python3 -m x` load code from the working directory. With `variables: 'keep'` a
 * missing `cwd` stays missing.
 */
export function withDirectories(
  config: Config,
  { files, logs }: { readonly files: readonly ReadFile[]; readonly logs: LogDirectories },
  { cwd, variables }: LoadPolicy,
): Config {
  const byName = new Map(files.map((file) => [file.shown, file]));
  const [first] = files;

  const servers = config.servers.map((declared): ServerConfig => {
    const server = { ...declared, ...logOf(declared, logs), ...(variables !== 'keep' && secretsIn(declared, byName)) };
    if (server.transport === 'http') return server;
    const root = byName.get(server.source.file ?? '')?.root ?? cwd;
    if (variables === 'keep')
      return server.cwd === undefined ? server : { ...server, cwd: keptDirectory(root, server.cwd) };
    return { ...server, cwd: resolve(root, server.cwd ?? '.') };
  });
  const { logDirectory = defaultLogDirectory, logDirectorySource } = logOf(config.settings, logs);
  const settings = { ...config.settings, logDirectory: resolve(first?.root ?? cwd, logDirectory), logDirectorySource };
  return { ...config, servers, settings };
}

type LogPlace = Pick<ServerConfig, 'logDirectory' | 'logDirectorySource'>;

/** Both fields are missing if the directory is not set or is outside of its project. */
function logOf({ logDirectory, logDirectorySource }: LogPlace, logs: LogDirectories): LogPlace {
  if (logDirectory === undefined || logDirectorySource === undefined) return {};
  const path = logs.of(logDirectory, logDirectorySource);
  return { logDirectory: path, logDirectorySource: path === undefined ? undefined : logDirectorySource };
}

function secretsIn({ secrets }: ServerConfig, files: ReadonlyMap<string, ReadFile>): Pick<ServerConfig, 'secrets'> {
  if (secrets === undefined) return {};
  return { secrets: secrets.map((secret) => ({ ...secret, root: files.get(secret.source.file ?? '')?.root })) };
}

/** A leading variable may be an absolute path. */
function keptDirectory(root: string, cwd: string): string {
  return cwd.startsWith('${') ? cwd : resolve(escapeReferences(root), cwd);
}
