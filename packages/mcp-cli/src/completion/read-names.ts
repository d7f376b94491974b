import { dirname, join, resolve } from 'node:path';
import { createClientManager } from '@x/mcp-client-manager';
import type { ServerConfig } from '@x/mcp-config-schema';
import { loadConfig } from '@x/mcp-config-schema/load';
import { createRegistry } from '@x/mcp-registry';
import type { Io } from '../command.js';
import { configSource } from '../config/config-source.js';
import type { Candidate } from './complete.js';
import { argumentsIn, type KnownArgument } from './known-arguments.js';

/** Names from a config and the stored catalogs of its servers. */
export interface KnownNames {
  readonly servers: readonly Candidate[];
  readonly roles: readonly Candidate[];
  readonly tools: readonly KnownTool[];
}

export interface KnownTool extends Candidate {
  /** `server.tool`, which commands accept, too. Absent if it could name a tool of another server. */
  readonly dotted?: string | undefined;
  readonly arguments: readonly KnownArgument[];
}

/**
 * Resolves no secret, because catalogs do not depend on their values.
 *
 * @returns `files`: absolute paths that the names depend on, directories included.
 */
export async function readNames(
  { config: files }: { readonly config?: readonly string[] },
  { cwd, env, stateDirectory }: Pick<Io, 'cwd' | 'env' | 'stateDirectory'>,
): Promise<{ readonly names: KnownNames; readonly files: readonly string[] }> {
  const config = await loadConfig(configSource(files, { cwd, env }));
  const servers = config.servers.map(withoutValues);
  await using manager = createClientManager({ servers }, { environment: { ...env }, stateDirectory });
  const registry = createRegistry();
  for (const server of manager.servers()) registry.attach(server);
  const names = {
    servers: config.servers.map(({ name, transport }) => ({ value: name, description: transport })),
    roles: [...new Set(config.roles.map(({ role }) => role))].map((value) => ({ value })),
    tools: registry.list().map(({ name, server, tool, description, inputSchema }) => ({
      value: name,
      ...(server !== undefined && !/[./]/.test(tool) && { dotted: `${server}.${tool}` }),
      description: description?.slice(0, 200),
      arguments: argumentsIn(inputSchema),
    })),
  };
  await registry.close();
  const remembered = stateDirectory === undefined ? [] : [join(stateDirectory, 'catalogs')];
  const read = config.files.map((file) => resolve(cwd, file));
  return { names, files: [...read, ...read.map((file) => dirname(file)), ...remembered] };
}

/** Replaces secrets by empty strings; no server starts with them. */
function withoutValues(server: ServerConfig): ServerConfig {
  // Tools of servers without `autoStart` are listed, too; a call starts them.
  const { secrets = [], ...rest } = { ...server, eager: false, autoStart: true };
  const values = Object.fromEntries(secrets.map(({ key }) => [key, '']));
  return rest.transport === 'stdio'
    ? { ...rest, env: { ...rest.env, ...values } }
    : { ...rest, headers: { ...rest.headers, ...values } };
}
