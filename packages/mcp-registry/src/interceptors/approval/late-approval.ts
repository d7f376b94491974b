import type { Interceptor } from '@x/internal/views';
import { LateModule } from '../../late-module.js';
import type { RoleRules } from '../../roles/role-rule.js';
import type { ApprovalAsking } from './asking.js';

/** Loaded with the first call under rules that have `askBefore`. */
export const approvalCode = new LateModule(() => import('./role-approval.js'));

/** The approvals that roles ask for. */
export class RoleApproval {
  readonly #asking: ApprovalAsking;
  readonly #rules: () => RoleRules;
  #checked: { readonly rules: RoleRules; readonly asks: boolean } | undefined;
  #loaded: Interceptor | undefined;
  readonly #interceptor: Interceptor = {
    name: 'approval',
    call: (call, next) =>
      this.#loaded?.call?.(call, next) ?? this.#load().then((each) => each.call?.(call, next) ?? next()),
  };

  constructor(asking: ApprovalAsking, rules: () => RoleRules) {
    this.#asking = asking;
    this.#rules = rules;
  }

  /** `undefined` while no rule has `askBefore`. */
  get interceptor(): Interceptor | undefined {
    const rules = this.#rules();
    if (this.#checked?.rules !== rules) {
      this.#checked = { rules, asks: rules.some(({ askBefore = [] }) => askBefore.length > 0) };
    }
    return this.#checked.asks ? this.#interceptor : undefined;
  }

  async #load(): Promise<Interceptor> {
    const { approveByRole } = await approvalCode.load();
    this.#loaded ??= approveByRole(this.#asking, this.#rules);
    return this.#loaded;
  }
}
