import type {
  SearchRequest,
  SearchResult,
  ToolArguments,
  ToolCallResult,
  ToolDescription,
  ToolProgress,
  ToolView,
} from '@x/mcp-registry';
import { type Stack, viewFor } from '../compose.js';
import { nearestName } from '../output/nearest-name.js';
import type { ControlBase } from './control-base.js';
import { ControlError } from './control-error.js';
import { hiddenEntry } from './hidden-entry.js';
import type { WaitOptions } from './wait-options.js';

/** Finding, reading and calling tools. `role`: only what it may use; without one, everything. */
export interface ToolControl {
  /** Searches what is known, also of servers that do not run. Starts nothing. */
  search(request: SearchRequest, options?: RoleOptions): Promise<SearchResult>;
  /** @throws {ControlError} `unknown-tool`. */
  describe(tool: string, options?: RoleOptions): Promise<ToolDescription>;
  /** Calls one tool by its public name, and starts its server if that may start by itself. */
  call(tool: string, args: ToolArguments, options?: ToolCallOptions): Promise<ToolCallResult>;
}

export interface RoleOptions extends WaitOptions {
  readonly role?: string | undefined;
}

export interface ToolCallOptions extends RoleOptions {
  /** Longest wait for the result in milliseconds. Default: that of the manager, 60 000. */
  readonly timeoutMs?: number | undefined;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
}

export function toolControl(stack: Stack, base: ControlBase): ToolControl {
  return {
    search: (request, { role, signal } = {}) =>
      base.run(signal, async () => {
        const result = await viewFor(stack, role).search(request, { signal });
        return { ...result, tools: result.tools.map((tool) => hiddenEntry(tool, base)) };
      }),
    describe: (tool, { role, signal } = {}) =>
      base.run(signal, async () => {
        const view = viewFor(stack, role);
        const description = view.describe(tool);
        if (description) {
          const { tool: shown, ...texts } = description;
          return { ...base.redactData(texts), tool: hiddenEntry(shown, base) };
        }
        throw new ControlError('unknown-tool', `There is no tool named "${tool}".`, {
          hint: `${toolMeant(tool, view.list())}Run "mcpx search" to find tools.`,
        });
      }),
    call: (tool, args, { role, signal, timeoutMs, onProgress } = {}) =>
      base.run(signal, async () =>
        stack.duringCall(() =>
          viewFor(stack, role).call(tool, args, {
            ...(signal && { signal }),
            ...(timeoutMs !== undefined && { timeoutMs }),
            ...(onProgress && { onProgress }),
          }),
        ),
      ),
  };
}

/** People know tools by their public names, as `server.tool`, and by the name that the server has given them. */
function toolMeant(wanted: string, tools: readonly ToolView[]): string {
  const own = tools.filter(({ tool }) => tool === wanted);
  if (own.length > 1) return `Several servers have one: ${own.map(({ name }) => name).join(', ')}. `;
  if (own[0]) return `Did you mean "${own[0].name}"? `;
  const byWord = new Map(
    tools.flatMap(({ name, server, tool }) => [name, `${server}.${tool}`, tool].map((word) => [word, name] as const)),
  );
  const nearest = nearestName(wanted, [...byWord.keys()]);
  return nearest === undefined ? '' : `Did you mean "${byWord.get(nearest)}"? `;
}
