import { type ApplyReport, createClientManager } from '@x/mcp-client-manager';
import type { Config, Redactor, ServerConfig } from '@x/mcp-config-schema';
import { loadConfig } from '@x/mcp-config-schema/load';
import { resolveSecrets } from '@x/mcp-config-schema/secrets';
import { createRegistry, type Registry } from '@x/mcp-registry';
import packageJson from '../../package.json' with { type: 'json' };
import type { Stack } from '../compose.js';
import type { Io } from '../io.js';
import { hideAll } from './hide-all.js';

/** A stack that can take on another config while it runs. What `config`, `registry` and `redactor` are then changes. */
export interface DaemonStack extends Stack {
  /**
   * Reads the config again. Servers that are to be run in another way are started anew, the others run on.
   *
   * @throws {ConfigError} It has errors, or a secret cannot be looked up. Everything is as it was then.
   */
  reload(): Promise<ApplyReport>;
}

interface Reading {
  readonly config: Config;
  readonly servers: readonly ServerConfig[];
  readonly redactor: Redactor;
}

/** @throws {ConfigError} The config is missing or wrong, or a secret cannot be looked up. */
export async function openDaemonStack(
  files: readonly string[] | undefined,
  io: Pick<Io, 'cwd' | 'env' | 'stateDirectory' | 'signal'>,
): Promise<DaemonStack> {
  let { config, servers, redactor } = await readConfig(files, io);
  const manager = createClientManager(
    { servers },
    {
      clientInfo: { name: 'mcpx', version: packageJson.version },
      environment: { ...io.env },
      stateDirectory: io.stateDirectory,
      logDirectory: config.settings.logDirectorySource && config.settings.logDirectory,
      redact: (text) => redactor.redact(text),
    },
  );
  const openRegistry = (): Registry => {
    const made = createRegistry({ roles: config.roles });
    for (const server of manager.servers()) made.attach(server);
    return made;
  };
  let registry = openRegistry();

  return {
    manager,
    get config() {
      return config;
    },
    get registry() {
      return registry;
    },
    get redactor() {
      return redactor;
    },
    reload: async () => {
      const next = await readConfig(files, io);
      // Servers hold what they were started with until they are gone, and what they said may still be told.
      redactor = hideAll(next.redactor, redactor);
      const report = await manager.apply({ servers: next.servers });
      config = next.config;
      const earlier = registry;
      registry = openRegistry(); // roles belong to a registry for good
      await earlier.close();
      return report;
    },
    [Symbol.asyncDispose]: async () => {
      await manager.close();
      await registry.close();
    },
  };
}

async function readConfig(
  files: readonly string[] | undefined,
  { cwd, env, signal }: Pick<Io, 'cwd' | 'env' | 'signal'>,
): Promise<Reading> {
  const config = await loadConfig({ cwd, env, ...(files && { files }) });
  const { servers, redactor } = await resolveSecrets(config.servers, {
    env,
    root: cwd,
    signal,
    redactor: config.redactor,
  });
  return { config, servers, redactor };
}
