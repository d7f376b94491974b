import type { ToolCaller } from '@x/internal/contracts';
import type { Interceptor } from '@x/internal/views';
import { orderInheritance } from '../../roles/inheritance.js';
import type { RoleRules } from '../../roles/role-rule.js';
import type { ApprovalRules } from './approval-rules.js';
import { approveCalls } from './approve-calls.js';
import type { ApprovalAsking } from './asking.js';

/** Asks before the calls that `askBefore` of the caller's role names. */
export function approveByRole(asking: ApprovalAsking, rules: () => RoleRules): Interceptor {
  let from: RoleRules | undefined;
  let byRole = new Map<string, ApprovalRules>();
  return approveCalls({
    ...asking,
    rules: ({ role }: ToolCaller) => {
      if (role === undefined) return NONE;
      const all = rules();
      if (from !== all) byRole = new Map();
      from = all;
      const known = byRole.get(role) ?? { tools: askedBefore(all, role) };
      byRole.set(role, known);
      return known;
    },
  });
}

const NONE: ApprovalRules = { tools: [] };

/** The entries of the role and of its ancestors. */
function askedBefore(rules: RoleRules, role: string): readonly string[] {
  const layers = orderInheritance(rules, [role]);
  return [...new Set(layers.flatMap((layer) => layer.rules.flatMap(({ rule }) => rule.askBefore ?? [])))].sort();
}
