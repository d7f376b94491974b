import { type ClientManager, createClientManager, type ManagedServer } from '@x/mcp-client-manager';
import type { Config, Redactor } from '@x/mcp-config-schema';
import { loadConfig } from '@x/mcp-config-schema/load';
import { resolveSecrets } from '@x/mcp-config-schema/secrets';
import { createRegistry, type Registry, type RegistryView } from '@x/mcp-registry';
import packageJson from '../package.json' with { type: 'json' };
import { UsageError } from './exit-codes.js';
import type { Io } from './io.js';

/** The three libraries joined: what the config names, running or not, and what may be used of it. */
export interface Stack extends AsyncDisposable {
  readonly config: Config;
  readonly manager: ClientManager;
  readonly registry: Registry;
  /** Stars out the secrets that servers were given. */
  readonly redactor: Redactor;
}

/**
 * Loads the config, looks up the secrets that it refers to, and joins manager and registry over it. No server is
 * spawned.
 *
 * @throws {ConfigError} The config is missing or wrong, or a secret cannot be looked up.
 */
export async function openStack({ config: files }: { config?: readonly string[] }, io: Io): Promise<Stack> {
  const config = await loadConfig({ cwd: io.cwd, env: io.env, ...(files && { files }) });
  const { servers, redactor } = await resolveSecrets(config.servers, {
    env: io.env,
    root: io.cwd,
    signal: io.signal,
    redactor: config.redactor,
  });
  const manager = createClientManager(
    { servers },
    {
      clientInfo: { name: 'mcpx', version: packageJson.version },
      environment: { ...io.env },
      stateDirectory: io.stateDirectory,
      // Only where the config says so: a command that is run once should not leave a folder in every project.
      logDirectory: config.settings.logDirectorySource && config.settings.logDirectory,
      redact: (text) => redactor.redact(text),
    },
  );
  const registry = createRegistry({ roles: config.roles });
  for (const server of manager.servers()) registry.attach(server);
  return {
    config,
    manager,
    registry,
    redactor,
    [Symbol.asyncDispose]: async () => {
      await manager.close();
      await registry.close();
    },
  };
}

/**
 * What one role may see; everything without a role.
 *
 * @throws {UsageError} The config knows no such role. A library would show nothing; a person made a typing mistake.
 */
export function viewFor({ registry, config }: Stack, role: string | undefined): RegistryView {
  if (role === undefined) return registry;
  const roles = [...new Set(config.roles.map((rule) => rule.role))];
  if (roles.includes(role)) return registry.view({ role });
  const known = roles.length > 0 ? `Roles in the config: ${roles.join(', ')}.` : 'The config has no role_restrictions.';
  throw new UsageError(`No role is named "${role}".`, { hint: known });
}

/**
 * The servers that a tool's public name may belong to, so that a single call need not start all of them. Only a guess
 * at where to look: which tool it is, the registry decides.
 */
export function serversFor(tool: string, { manager }: Stack): readonly ManagedServer[] {
  const named = manager.servers().filter(({ name }) => tool.startsWith(`mcp__${name}__`));
  return named.length > 0 ? named : manager.servers().filter(({ status }) => status.autoStart);
}
