import type {
  SearchRequest,
  SearchResult,
  ToolArguments,
  ToolCallResult,
  ToolDescription,
  ToolProgress,
} from '@x/mcp-registry';
import { type Stack, viewFor } from '../compose.js';
import { didYouMean } from '../output/nearest-name.js';
import type { ControlBase } from './control-base.js';
import { ControlError } from './control-error.js';

/** Finding, reading and calling tools. `role`: only what it may use; without one, everything. */
export interface ToolControl {
  /** Searches what is known, also of servers that do not run. Starts nothing. */
  search(request: SearchRequest, options?: RoleOptions): Promise<SearchResult>;
  /** @throws {ControlError} `unknown-tool`. */
  describe(tool: string, options?: RoleOptions): Promise<ToolDescription>;
  /** Calls one tool by its public name, and starts its server if that may start by itself. */
  call(tool: string, args: ToolArguments, options?: ToolCallOptions): Promise<ToolCallResult>;
}

export interface RoleOptions {
  readonly role?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ToolCallOptions extends RoleOptions {
  /** Longest wait for the result in milliseconds. Default: that of the manager, 60 000. */
  readonly timeoutMs?: number | undefined;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
}

export function toolControl(stack: Stack, base: ControlBase): ToolControl {
  return {
    search: (request, { role, signal } = {}) =>
      base.run(signal, async () => viewFor(stack, role).search(request, { signal })),
    describe: (tool, { role, signal } = {}) =>
      base.run(signal, async () => {
        const view = viewFor(stack, role);
        const description = view.describe(tool);
        if (description) return description;
        const names = view.list().map(({ name }) => name);
        throw new ControlError('unknown-tool', `There is no tool named "${tool}".`, {
          hint: `${didYouMean(tool, names)}Run "mcpx search" to find tools.`,
        });
      }),
    call: (tool, args, { role, signal, timeoutMs, onProgress } = {}) =>
      base.run(signal, async () =>
        stack.useRegistry((registry) =>
          viewFor({ config: stack.config, registry }, role).call(tool, args, {
            ...(signal && { signal }),
            ...(timeoutMs !== undefined && { timeoutMs }),
            ...(onProgress && { onProgress }),
          }),
        ),
      ),
  };
}
