import { resolve } from 'node:path';
import type { Config, ServerConfig } from '../config.js';
import { escapeReferences } from '../template/keep-variables.js';
import type { LoadPolicy } from './load-options.js';
import type { ReadFile } from './read-files.js';

/**
 * Makes relative directories absolute: written ones from the root of the file they stand in. A server without one runs
 * in the root of its own file, but one of the user in that of the project, because it serves every project. Where
 * variables are kept for another program, so is the choice of a directory that is not written. References to secrets get
 * the root of their file.
 */
export function withDirectories(config: Config, files: readonly ReadFile[], { cwd, variables }: LoadPolicy): Config {
  const byName = new Map(files.map((file) => [file.shown, file]));
  const projectRoot = files.find(({ layer }) => layer !== 'user')?.root ?? cwd;
  const [first] = files;

  const servers = config.servers.map((declared): ServerConfig => {
    const server = variables === 'keep' ? declared : { ...declared, ...secretsIn(declared, byName) };
    if (server.transport === 'http') return server;
    const root = byName.get(server.source.file ?? '')?.root ?? projectRoot;
    if (variables === 'keep')
      return server.cwd === undefined ? server : { ...server, cwd: keptDirectory(root, server.cwd) };
    const base = server.cwd === undefined && server.layer === 'user' ? projectRoot : root;
    return { ...server, cwd: resolve(base, server.cwd ?? '.') };
  });
  const { logDirectory, logDirectorySource } = config.settings;
  const logRoot = byName.get(logDirectorySource?.file ?? '')?.root ?? first?.root ?? cwd;
  return { ...config, servers, settings: { ...config.settings, logDirectory: resolve(logRoot, logDirectory) } };
}

function secretsIn({ secrets }: ServerConfig, files: ReadonlyMap<string, ReadFile>): Pick<ServerConfig, 'secrets'> {
  if (secrets === undefined) return {};
  return { secrets: secrets.map((secret) => ({ ...secret, root: files.get(secret.source.file ?? '')?.root })) };
}

/** A variable at the start may stand for an absolute path. */
function keptDirectory(root: string, cwd: string): string {
  return cwd.startsWith('${') ? cwd : resolve(escapeReferences(root), cwd);
}
