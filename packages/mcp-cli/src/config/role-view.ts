import type { Config } from '@x/mcp-config-schema';
import type { RegistryView } from '@x/mcp-registry';
import { UsageError } from '../command.js';
import type { Stack } from '../compose.js';
import { didYouMean } from '../output/print.js';

/** @throws {UsageError} The config has no such role, for which the registry would return an empty view. */
export function viewFor(
  { registry, config }: Pick<Stack, 'registry' | 'config'>,
  role: string | undefined,
): RegistryView {
  if (role === undefined) return registry;
  requireRole(config, role);
  return registry.view({ role });
}

/** @throws {UsageError} The config has no such role. */
export function requireRole({ roles: rules }: Pick<Config, 'roles'>, role: string): void {
  const roles = [...new Set(rules.map((rule) => rule.role))];
  if (roles.includes(role)) return;
  const known = roles.length > 0 ? `Roles in the config: ${roles.join(', ')}.` : 'The config has no role_restrictions.';
  throw new UsageError(`No role is named "${role}".`, { hint: `${didYouMean(role, roles)}${known}` });
}
