import type { Stack } from '../compose.js';
import { requireRole } from '../config/role-view.js';
import type { ServerHandlers } from './control.js';
import type { RoleReport } from './reports.js';
import { mayUseTool } from './written-tool.js';

export function roleControl(stack: Stack) {
  return {
    roles: async () => roleReports(stack),
    mayUse: async ({ role, server, tool }) => {
      requireRole(stack.config, role);
      return mayUseTool(stack, role, { server, tool });
    },
    explain: async ({ role, tool }) => {
      requireRole(stack.config, role);
      return stack.registry.explain(role, tool);
    },
  } satisfies Partial<ServerHandlers>;
}

async function roleReports({ registry, config }: Stack): Promise<readonly RoleReport[]> {
  const diagnostics = await registry.diagnostics();
  const unmatched = diagnostics.flatMap((each) => (each.code === 'rule-matches-nothing' ? [each] : []));
  const ambiguous = diagnostics.flatMap((each) => (each.code === 'ambiguous-rule' ? [each] : []));
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
    ambiguous: ambiguous
      .filter((entry) => entry.role === role)
      .map(({ list, pattern, servers, message }) => ({ list, pattern, servers, message })),
  }));
}
