import type { Interceptor } from '@x/internal/views';
import { callCode } from '../../calls/late-calls.js';
import { LateModule } from '../../late-module.js';
import type { RoleRules } from '../../roles/role-rule.js';

/**
 * Creates the interceptor whose `call` asks, with the first call under rules that have `askBefore`. `rules` returns the
 * current ones. `approveByRole` of `@x/mcp-registry/interceptors` makes one.
 */
export type RoleApproval = (rules: () => RoleRules) => Interceptor | Promise<Interceptor>;

type AskingInterceptor = Interceptor & { readonly call: NonNullable<Interceptor['call']> };

/** The last interceptor of calls under rules that have `askBefore`. Without `create`, it refuses what they name. */
export function lateApproval(create: RoleApproval | undefined, rules: () => RoleRules): Interceptor {
  const late = new LateModule(async () => create?.(rules) ?? (await callCode.load()).refuseByRole(rules));
  return {
    name: 'approval',
    call(call, next) {
      // One without `call` must refuse, not pass.
      const ask = (each: Interceptor) => (each as AskingInterceptor).call(call, next);
      return late.loaded === undefined ? late.load().then(ask) : ask(late.loaded);
    },
  };
}
