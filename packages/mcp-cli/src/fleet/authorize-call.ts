import type { FleetOptions } from '@x/mcp-fleet';
import type { Registry, ToolView } from '@x/mcp-registry';
import type { Stack } from '../compose.js';

/**
 * Decides by the rules of this config if another node may make a call here.
 *
 * - A config without roles restricts no caller.
 * - A call without a role has the default role; without one, it may do nothing: another node is not this node's user.
 * - A tool that waits for approval here does not exist for other nodes.
 */
export function authorizeCall(stack: Pick<Stack, 'config' | 'registry'>): NonNullable<FleetOptions['authorize']> {
  return ({ node, role }, { server, tool }) => {
    const { registry, config } = stack;
    const view = toolOf(registry, server, tool);
    if (view === undefined) return false;
    if (config.roles.length === 0) return true;
    const caller = role === undefined ? { principal: `node ${node}` } : { role };
    return registry.policy(caller)(view).isAllowed;
  };
}

/** By server and tool, for each list of tools: lists are immutable. */
const tables = new WeakMap<readonly ToolView[], ReadonlyMap<string, ToolView>>();

function toolOf(registry: Registry, server: string, tool: string): ToolView | undefined {
  const tools = registry.list();
  let table = tables.get(tools);
  if (table === undefined) {
    table = new Map(tools.map((view) => [keyOf(view.server ?? '', view.tool), view]));
    tables.set(tools, table);
  }
  return table.get(keyOf(server, tool));
}

function keyOf(server: string, tool: string): string {
  return JSON.stringify([server, tool]);
}
