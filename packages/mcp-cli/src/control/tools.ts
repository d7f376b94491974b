import { nearestName } from '@x/internal/names';
import type { ToolView } from '@x/mcp-registry';
import type { Stack } from '../compose.js';
import { viewFor } from '../config/role-view.js';
import { present } from '../present.js';
import type { ServerHandlers } from './control.js';
import type { ControlBase } from './control-base.js';
import { ControlError } from './control-error.js';
import { hiddenEntry } from './hidden-entry.js';
import { ownersOf, toolWritten } from './written-tool.js';

export function toolControl(stack: Stack, base: ControlBase) {
  return {
    search: async ({ request, role, signal }) => {
      const result = await viewFor(stack, role).search(request, { signal });
      return { ...result, tools: result.tools.map((tool) => hiddenEntry(tool, base)) };
    },
    describe: async ({ tool, role }) => {
      const view = viewFor(stack, role);
      const written = toolWritten(stack, view, tool);
      const description = (await view.describe(tool)) ?? (written && (await view.describe(written.name)));
      if (description) {
        const { tool: shown, ...texts } = description;
        return { ...base.redactData(texts), tool: hiddenEntry(shown, base) };
      }
      throw new ControlError('unknown-tool', `There is no tool named "${tool}".`, {
        hint: `${suggestTool(tool, view.list())}Run "mcpx search" to find tools.`,
      });
    },
    toolOwners: async ({ tool, role }) => ownersOf(stack, { tool, role }, base),
    call: async ({ tool, args, role, ...options }) =>
      stack.duringCall(() => viewFor(stack, role).call(tool, args, present(options))),
  } satisfies Partial<ServerHandlers>;
}

/** Compares with public names, `server.tool` and original names. */
function suggestTool(wanted: string, tools: readonly ToolView[]): string {
  const own = tools.filter(({ tool }) => tool === wanted);
  if (own.length > 1) return `Several servers have one: ${own.map(({ name }) => name).join(', ')}. `;
  if (own[0]) return `Did you mean "${own[0].name}"? `;
  const byWord = new Map(
    tools.flatMap(({ name, server, tool }) => [name, `${server}.${tool}`, tool].map((word) => [word, name] as const)),
  );
  const nearest = nearestName(wanted, [...byWord.keys()]);
  return nearest === undefined ? '' : `Did you mean "${byWord.get(nearest)}"? `;
}
