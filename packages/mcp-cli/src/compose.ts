import {
  type ClientManager,
  type ClientManagerOptions,
  createClientManager,
  type ManagedServer,
  ManagerError,
} from '@x/mcp-client-manager';
import type { Config, Redactor, ServerConfig } from '@x/mcp-config-schema';
import { loadConfig } from '@x/mcp-config-schema/load';
import { resolveSecrets } from '@x/mcp-config-schema/secrets';
import { createRegistry, type Registry, type RegistryOptions, type RegistryView } from '@x/mcp-registry';
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

export interface StackOptions {
  readonly config?: readonly string[];
  /** These servers alone, which may then be started whatever the config says. Default, and if empty: all. */
  readonly servers?: readonly string[];
  readonly audit?: RegistryOptions['audit'];
  /** Announced to servers as what this client can do, because those that it calls for can. */
  readonly capabilities?: ClientManagerOptions['capabilities'];
  /** Longest wait for a call's result in milliseconds. Default: the manager's own. */
  readonly callTimeoutMs?: number;
}

/**
 * Loads the config, looks up the secrets that it refers to, and joins manager and registry over it. No server is
 * spawned.
 *
 * @throws {ConfigError} The config is missing or wrong, or a secret cannot be looked up.
 * @throws {ManagerError} `unknown-server`.
 */
export async function openStack(
  { config: files, servers: names = [], audit, capabilities, callTimeoutMs }: StackOptions,
  io: Io,
): Promise<Stack> {
  const config = await loadConfig({ cwd: io.cwd, env: io.env, ...(files && { files }) });
  const { servers, redactor } = await resolveSecrets(chosen(config.servers, names), {
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
      capabilities,
      callTimeoutMs,
    },
  );
  const registry = createRegistry({ roles: config.roles, audit });
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
  requireRole(config, role);
  return registry.view({ role });
}

/** @throws {UsageError} The config knows no such role. */
export function requireRole({ roles: rules }: Pick<Config, 'roles'>, role: string): void {
  const roles = [...new Set(rules.map((rule) => rule.role))];
  if (roles.includes(role)) return;
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

/** Whoever names a server wants it started. */
function chosen(servers: readonly ServerConfig[], names: readonly string[]): readonly ServerConfig[] {
  for (const name of names) requireServer(servers, name);
  if (names.length === 0) return servers;
  return servers.filter(({ name }) => names.includes(name)).map((server) => ({ ...server, autoStart: true }));
}

/** @throws {ManagerError} `unknown-server`. */
function requireServer(servers: readonly { readonly name: string }[], name: string): void {
  if (servers.some((server) => server.name === name)) return;
  const known = servers.map((server) => `"${server.name}"`).join(', ') || 'none';
  throw new ManagerError('unknown-server', `No server is named "${name}". Configured: ${known}.`, { server: name });
}
