import type { RoleExplanation, RoleRule } from '@x/mcp-registry';
import { type Stack, viewFor } from '../compose.js';
import type { ControlBase } from './control-base.js';

/** Who may use what. For operators: it tells of tools that a role must not know of. */
export interface RoleControl {
  roles(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly RoleReport[]>;
  /** @param tool - Public name, or `server.tool`. */
  explain(
    role: string,
    tool: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<RoleExplanation>;
}

export interface RoleReport {
  readonly role: string;
  readonly rules: readonly RoleRule[];
  /** Public names of the tools that it may use as far as they are known now. */
  readonly tools: readonly string[];
}

export function roleControl(stack: Stack, { run }: ControlBase): RoleControl {
  return {
    roles: ({ signal } = {}) =>
      run(signal, async () => {
        const names = [...new Set(stack.config.roles.map(({ role }) => role))];
        return names.map((role) => ({
          role,
          rules: stack.config.roles.filter((rule) => rule.role === role),
          tools: stack.registry
            .view({ role })
            .list()
            .map(({ name }) => name),
        }));
      }),
    explain: (role, tool, { signal } = {}) =>
      run(signal, async () => {
        viewFor(stack, role); // refuses a role that the config does not know
        return stack.registry.explain(role, tool);
      }),
  };
}
