import { dirname, join, resolve } from 'node:path';
import { createClientManager } from '@x/mcp-client-manager';
import type { ServerConfig } from '@x/mcp-config-schema';
import { loadConfig } from '@x/mcp-config-schema/load';
import { createRegistry } from '@x/mcp-registry';
import type { Io } from '../io.js';
import type { Candidate } from './complete.js';

/** What a config and its servers are known to have. */
export interface KnownNames {
  readonly servers: readonly Candidate[];
  readonly roles: readonly Candidate[];
  readonly tools: readonly KnownTool[];
}

export interface KnownTool extends Candidate {
  /** `server.tool`, which commands take as well. Absent where that may mean a tool of another server. */
  readonly dotted?: string | undefined;
}

/**
 * What the config names, and the tools that its servers were last seen with. Looks up no secret: what is remembered of a
 * server does not depend on their values.
 *
 * @returns `files`: absolute paths of what it follows from, directories included.
 */
export async function readNames(
  { config: files }: { readonly config?: readonly string[] },
  { cwd, env, stateDirectory }: Pick<Io, 'cwd' | 'env' | 'stateDirectory'>,
): Promise<{ readonly names: KnownNames; readonly files: readonly string[] }> {
  const config = await loadConfig({ cwd, env, ...(files && { files }) });
  const servers = config.servers.map(withoutValues);
  await using manager = createClientManager({ servers }, { environment: { ...env }, stateDirectory });
  const registry = createRegistry();
  for (const server of manager.servers()) registry.attach(server);
  const names = {
    servers: config.servers.map(({ name, transport }) => ({ value: name, description: transport })),
    roles: [...new Set(config.roles.map(({ role }) => role))].map((value) => ({ value })),
    tools: registry.list().map(({ name, server, tool, description }) => ({
      value: name,
      ...(server !== undefined && !/[./]/.test(tool) && { dotted: `${server}.${tool}` }),
      description: description?.slice(0, 200),
    })),
  };
  await registry.close();
  const remembered = stateDirectory === undefined ? [] : [join(stateDirectory, 'catalogs')];
  const read = config.files.map((file) => resolve(cwd, file));
  return { names, files: [...read, ...read.map((file) => dirname(file)), ...remembered] };
}

/** With something in place of each secret. No server is started, so nobody sees it. */
function withoutValues(server: ServerConfig): ServerConfig {
  const { secrets = [], ...rest } = { ...server, eager: false };
  const values = Object.fromEntries(secrets.map(({ key }) => [key, '']));
  return rest.transport === 'stdio'
    ? { ...rest, env: { ...rest.env, ...values } }
    : { ...rest, headers: { ...rest.headers, ...values } };
}
