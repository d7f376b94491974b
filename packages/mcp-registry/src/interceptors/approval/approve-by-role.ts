import { byRole } from '../../roles/ask-patterns.js';
import type { ApprovalRules } from './approval-rules.js';
import { approveCalls } from './approve-calls.js';
import { type ApprovalAsking, checkAsking } from './asking.js';
import type { RoleApproval } from './late-approval.js';

/**
 * Asks before the calls that `askBefore` of the caller's role names: `approval` of `createRegistry`.
 *
 * @throws {TypeError} naming the invalid option.
 */
export function approveByRole(options: ApprovalAsking): RoleApproval {
  const asking = checkAsking(options);
  return (rules) => {
    const rulesOf = byRole<ApprovalRules>(rules, (tools) => ({ tools }));
    return approveCalls({ ...asking, rules: ({ role }) => rulesOf(role) });
  };
}
