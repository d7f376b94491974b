import type { Interceptor } from '@x/internal/views';
import { RegistryError } from '../../errors.js';
import { AskPatterns, byRole } from '../../roles/ask-patterns.js';
import type { RoleRules } from '../../roles/role-rule.js';

/** Refuses the calls that `askBefore` of the caller's role names. */
export function refuseByRole(rules: () => RoleRules): Interceptor {
  const patternsOf = byRole(rules, (entries) => new AskPatterns(entries));
  return {
    name: 'approval',
    call({ tool, caller }, next) {
      if (patternsOf(caller.role).find(tool) === undefined) return next();
      const advice = 'let its operator set the option "approval" of the registry';
      const message = `The call of ${tool.name} needs an approval, and there is no way to ask for it; ${advice}. It was not run`;
      throw new RegistryError('refused', message, { tool: tool.name });
    },
  };
}
