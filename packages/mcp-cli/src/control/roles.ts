import type { RoleExplanation, RoleRule } from '@x/mcp-registry';
import { requireRole, type Stack } from '../compose.js';
import type { ControlBase } from './control-base.js';
import type { WaitOptions } from './wait-options.js';

/** Who may use what. For operators: it tells of tools that a role must not know of. */
export interface RoleControl {
  roles(options?: WaitOptions): Promise<readonly RoleReport[]>;
  /**
   * Whether a role may use a tool of that name, also when nobody knows yet whether there is one. What a tool says of itself
   * is not known then, so a rule that asks for it refuses nothing here.
   *
   * @param tool - Its own name.
   */
  mayUse(
    role: string,
    tool: { readonly server: string; readonly tool: string },
    options?: WaitOptions,
  ): Promise<boolean>;
  /** @param tool - Public name, or `server.tool`. */
  explain(role: string, tool: string, options?: WaitOptions): Promise<RoleExplanation>;
}

export interface RoleReport {
  readonly role: string;
  readonly rules: readonly RoleRule[];
  /** Public names of the tools that it may use as far as they are known now. */
  readonly tools: readonly string[];
  /** Entries of its lists that match no tool, as far as tools are known. A denial among them denies nothing. */
  readonly unmatched: readonly UnmatchedEntry[];
}

export interface UnmatchedEntry {
  readonly list: 'allowedTools' | 'deniedTools';
  /** As it is written. */
  readonly pattern: string;
  readonly message: string;
}

export function roleControl(stack: Stack, { run }: ControlBase): RoleControl {
  return {
    roles: ({ signal } = {}) =>
      run(signal, async () => {
        const unmatched = stack.registry
          .diagnostics()
          .flatMap((each) => (each.code === 'rule-matches-nothing' ? [each] : []));
        const names = [...new Set(stack.config.roles.map(({ role }) => role))];
        return names.map((role) => ({
          role,
          rules: stack.config.roles.filter((rule) => rule.role === role),
          tools: stack.registry
            .view({ role })
            .list()
            .map(({ name }) => name),
          unmatched: unmatched
            .filter((entry) => entry.role === role)
            .map(({ list, pattern, message }) => ({ list, pattern, message })),
        }));
      }),
    mayUse: (role, { server, tool }, { signal } = {}) =>
      run(signal, async () => {
        requireRole(stack.config, role);
        const decision = stack.registry.policy({ role })({ server, tool });
        return decision.isAllowed || decision.reason === 'annotations';
      }),
    explain: (role, tool, { signal } = {}) =>
      run(signal, async () => {
        requireRole(stack.config, role);
        return stack.registry.explain(role, tool);
      }),
  };
}
