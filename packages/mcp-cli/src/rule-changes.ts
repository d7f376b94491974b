import type { Config, RoleRule } from '@x/mcp-config-schema';
import type { Trust } from './trust-file.js';

/** What is different between two readings of a config, beside its servers. */
export interface RuleChanges {
  /** Roles of which a rule was added, removed or changed, in the order of names. */
  readonly roles: readonly string[];
  /** Whether which tools need an approval is different. */
  readonly trust: boolean;
  /** Whether a log directory, other `mcp_settings` or the entries of `tools.yaml` are different in anything but roles. */
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

export function isUnchanged({ roles, trust, settings }: RuleChanges): boolean {
  return roles.length === 0 && !trust && !settings;
}

function changedRoles(before: readonly RoleRule[], after: readonly RoleRule[]): readonly string[] {
  const names = new Set([...before, ...after].map(({ role }) => role));
  const rulesOf = (rules: readonly RoleRule[], name: string) => textOf(rules.filter(({ role }) => role === name));
  return [...names].filter((name) => rulesOf(before, name) !== rulesOf(after, name)).toSorted();
}

/** Without where it is written: a comment above moves everything below. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (key, field) => (/^(?:s|logDirectoryS)ource$/.test(key) ? undefined : field));
}
