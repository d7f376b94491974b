import { type ToolOwner, toolOwners } from '@x/internal/names';
import type { RegistryView, ToolView } from '@x/mcp-registry';
import type { Stack } from '../compose.js';
import { requireRole } from '../config/role-view.js';
import { serversWithoutTools } from '../servers/server-rows.js';
import type { ControlBase } from './control-base.js';
import type { ToolOwnerReport } from './reports.js';
import { serverRow } from './server-row.js';

/** Finds the tool that `server.tool` or `server/tool` names. */
export function toolWritten(stack: Stack, view: RegistryView, written: string): ToolView | undefined {
  const [owner] = toolOwners(written, serverNames(stack));
  if (owner?.tool === undefined) return undefined;
  return view.list().find(({ server, tool }) => server === owner.server && tool === owner.tool);
}

/** A name without a server may belong to every server that has not listed its tools. */
export function ownersOf(
  stack: Stack,
  { tool: written, role }: { readonly tool: string; readonly role?: string | undefined },
  base: ControlBase,
): readonly ToolOwnerReport[] {
  if (role !== undefined) requireRole(stack.config, role);
  const rows = stack.manager.status().map((status) => serverRow(stack, status, base));
  const named = toolOwners(written, serverNames(stack));
  const startable = new Set(
    named.length > 0
      ? rows.flatMap(({ name, state, runsElsewhere }) => (state === 'running' || runsElsewhere ? [] : [name]))
      : serversWithoutTools(rows.filter(({ autoStart }) => autoStart)),
  );
  const owners = named.length > 0 ? named : Array.from(startable, (server) => ({ server, tool: written }));
  return owners
    .filter((owner) => role === undefined || mayBeOf(stack, role, { ...owner, written }))
    .map((owner) => ({ ...owner, mayStart: startable.has(owner.server) }));
}

function mayBeOf(
  stack: Stack,
  role: string,
  { server, tool, written }: ToolOwner & { readonly written: string },
): boolean {
  if (tool !== undefined) return mayUseTool(stack, role, { server, tool });
  // A public name with a digest does not determine its server.
  const lineage = lineageOf(stack, role);
  const isListed = stack.config.roles.some((rule) => lineage.has(rule.role) && rule.allowedTools.includes(written));
  return isListed || stack.registry.policy({ role })({ kind: 'any', server }).isAllowed;
}

/** The role and all roles that it inherits from. */
function lineageOf({ config }: Stack, role: string): ReadonlySet<string> {
  const found = new Set([role]);
  // Iteration over a set includes entries that are added meanwhile.
  for (const each of found) {
    for (const rule of config.roles)
      if (rule.role === each) for (const parent of rule.inherits ?? []) found.add(parent);
  }
  return found;
}

/** Rules about annotations refuse nothing here, because annotations may be unknown. */
export function mayUseTool(
  stack: Stack,
  role: string,
  tool: { readonly server: string; readonly tool: string },
): boolean {
  const decision = stack.registry.policy({ role })(tool);
  return decision.isAllowed || decision.reason === 'annotations';
}

/** Servers of the config and of other nodes. */
function serverNames({ config, registry }: Stack): ReadonlySet<string> {
  return new Set([...config.servers.map(({ name }) => name), ...registry.list().flatMap(({ server }) => server ?? [])]);
}
