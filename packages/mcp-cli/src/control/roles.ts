import { requireRole, type Stack } from '../compose.js';
import type { ServerHandlers } from './control.js';
import type { RoleReport } from './reports.js';

/** Rules of roles, and the decisions that follow from them. */
export function roleControl(stack: Stack) {
  return {
    roles: async () => roleReports(stack),
    mayUse: async ({ role, server, tool }) => {
      requireRole(stack.config, role);
      const decision = stack.registry.policy({ role })({ server, tool });
      return decision.isAllowed || decision.reason === 'annotations';
    },
    explain: async ({ role, tool }) => {
      requireRole(stack.config, role);
      return stack.registry.explain(role, tool);
    },
  } satisfies Partial<ServerHandlers>;
}

function roleReports({ registry, config }: Stack): readonly RoleReport[] {
  const unmatched = registry.diagnostics().flatMap((each) => (each.code === 'rule-matches-nothing' ? [each] : []));
  const names = [...new Set(config.roles.map(({ role }) => role))];
  return names.map((role) => ({
    role,
    rules: config.roles.filter((rule) => rule.role === role),
    tools: registry
      .view({ role })
      .list()
      .map(({ name }) => name),
    unmatched: unmatched
      .filter((entry) => entry.role === role)
      .map(({ list, pattern, message }) => ({ list, pattern, message })),
  }));
}
