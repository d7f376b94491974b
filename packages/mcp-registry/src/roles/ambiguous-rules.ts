import { readingsOf } from '@x/internal/names';
import { quote } from '@x/internal/text';
import type { RegistryDiagnostic } from '../catalog/diagnostics.js';
import { describePlace } from './explain-role.js';
import type { RoleRule, RoleRules } from './role-rule.js';
import type { RuleSubjects } from './rule-matches.js';
import { fitsTool } from './tool-pattern.js';

export type AmbiguousRule = Extract<RegistryDiagnostic, { readonly code: 'ambiguous-rule' }>;

/** Entries that fit several servers. A server that has listed its tools counts only if one of them fits. */
export function findAmbiguous(rules: RoleRules, subjects: RuleSubjects): readonly AmbiguousRule[] {
  return rules.flatMap((rule) =>
    (['deniedTools', 'allowedTools'] as const).flatMap((list) =>
      (rule[list] ?? []).flatMap((pattern) => {
        const servers = serversFitting(pattern, subjects);
        return servers.length > 1 ? [toDiagnostic({ rule, list, pattern, servers }, rules)] : [];
      }),
    ),
  );
}

function serversFitting(pattern: string, { isServer, hasListed, tools }: RuleSubjects): readonly string[] {
  const known = Array.from(readingsOf(pattern), ({ server }) => server).filter(isServer);
  return Array.from(new Set(known)).filter((server, index) => {
    if (index === 0 || !hasListed(server)) return true;
    return tools.some((tool) => tool.server === server && fitsTool(pattern, tool));
  });
}

function toDiagnostic(
  entry: Pick<AmbiguousRule, 'list' | 'pattern' | 'servers'> & { readonly rule: RoleRule },
  rules: RoleRules,
): AmbiguousRule {
  const { rule, list, pattern, servers } = entry;
  const { role } = rule;
  const [server = '', ...others] = servers;
  const does = list === 'deniedTools' ? 'denies' : 'allows';
  const names = servers.map(quote).join(' and ');
  const effect =
    list === 'deniedTools'
      ? 'so it denies tools of each of them'
      : `and means ${quote(server)} alone; write public names for tools of ${others.map(quote).join(' and ')}`;
  const message = `The role ${quote(role)} ${does} ${quote(pattern)} at ${describePlace(rule, rules)}, which fits the servers ${names}, ${effect}`;
  return { code: 'ambiguous-rule', server, servers, role, list, pattern, rule, message };
}
