import type { Config, RoleRule } from '@x/mcp-config-schema';
import type { Trust } from './trust-file.js';

/** Differences between two reads of a config, except its servers. */
export interface RuleChanges {
  /** Names of roles with changed rules, sorted. */
  readonly roles: readonly string[];
  readonly trust: boolean;
  /** True if a log directory, other `mcp_settings` or entries of `tools.yaml` changed, apart from roles. */
  readonly settings: boolean;
}

interface Rules {
  readonly config: Pick<Config, 'roles' | 'servers' | 'settings' | 'tools'>;
  readonly trust: Trust;
}

export function ruleChanges(before: Rules, after: Rules): RuleChanges {
  return {
    roles: changedRoles(before.config.roles, after.config.roles),
    trust: textOf(before.trust) !== textOf(after.trust),
    settings: textOf(settingsIn(before.config)) !== textOf(settingsIn(after.config)),
  };
}

function settingsIn({ servers, settings, tools }: Rules['config']): readonly unknown[] {
  return [settings, tools, [...new Set(servers.flatMap(({ logDirectory }) => logDirectory ?? []))].toSorted()];
}

function changedRoles(before: readonly RoleRule[], after: readonly RoleRule[]): readonly string[] {
  const names = new Set([...before, ...after].map(({ role }) => role));
  const rulesOf = (rules: readonly RoleRule[], name: string) => textOf(rules.filter(({ role }) => role === name));
  return [...names].filter((name) => rulesOf(before, name) !== rulesOf(after, name)).toSorted();
}

/** Omits source positions, because a comment above shifts everything below. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (key, field) => (/^(?:s|logDirectoryS)ource$/.test(key) ? undefined : field));
}
