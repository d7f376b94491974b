import { nearestName, publicName, type ToolOwner, toolOwners } from '@x/internal/names';
import type { ToolView } from '@x/mcp-registry';
import type { ApprovalRequest } from '@x/mcp-registry/interceptors';
import { type Stack, serverNamed } from '../compose.js';
import { requireRole, viewFor } from '../config/role-view.js';
import { isTrustMode, trustModes } from '../config/trust-file.js';
import { afterPages, commandClient } from '../elicitation/command-client.js';
import { fieldsInCommandWords } from '../output/command-words.js';
import { present } from '../present.js';
import { serversWithoutTools } from '../servers/server-rows.js';
import { accessReport } from './access-report.js';
import type { ServerHandlers } from './control.js';
import { type ControlBase, redactEntry, requestTimeoutMs } from './control-base.js';
import { ControlError } from './control-error.js';
import { modelSearch } from './model-search.js';
import { nearTool } from './near-tool.js';
import type { ApprovalReport, RoleReport, ToolOwnerReport } from './reports.js';
import { serverRow } from './servers.js';

export function toolControl(stack: Stack, base: ControlBase) {
  return {
    search: async ({ request, role, signal }) => {
      const result = await viewFor(stack, role).search(request, { signal });
      const shown = fieldsInCommandWords(result, ['hint']);
      const tools = result.tools.map((tool) => redactEntry(tool, base));
      return { ...shown, tools, ...(role !== undefined && { unusable: unusableServers(stack, role) }) };
    },
    modelSearch: async (request) => modelSearch(stack, request, base),
    describe: async ({ tool, role }) => {
      const view = viewFor(stack, role);
      const written = findWrittenTool(stack, tool);
      const description = (await view.describe(tool)) ?? (written && (await view.describe(written)));
      if (description) {
        const { tool: shown, ...texts } = description;
        return { ...base.redactData(texts), tool: redactEntry(shown, base) };
      }
      throw new ControlError('unknown-tool', `There is no tool named "${tool}".`, {
        hint: `${suggestTool(tool, view.list()) || suggestServer(stack, tool, role)}Run "mcpx search" to find tools.`,
      });
    },
    nearTool: async ({ tool, role }) => present({ name: meantTool(stack, { tool, role }, base)?.name }),
    toolOwners: async ({ tool, role }) => possibleOwners(stack, { tool, role }, base),
    call: async ({ tool, args, role, approval, client, timeoutMs = requestTimeoutMs, onServerRequest, ...options }) => {
      const request = () =>
        stack.approvals.during({ approval, onServerRequest }, options.signal, (signal) =>
          viewFor(stack, role).call(
            tool,
            args,
            present({
              ...options,
              timeoutMs,
              signal,
              handler: onServerRequest && commandClient(onServerRequest, base, client),
            }),
          ),
        );
      const { server } = viewFor(stack, role).get(tool) ?? {};
      return stack.duringCall(() => afterPages(request, { server, onServerRequest, signal: options.signal }, base));
    },
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

/** A name without a server means nothing for certain while a server that may have the tool has not listed its tools. */
function meantTool(
  stack: Stack,
  { tool: written, role }: { readonly tool: string; readonly role?: string | undefined },
  base: ControlBase,
): ToolView | undefined {
  const tools = viewFor(stack, role).list();
  const [owner, ...others] = toolOwners(written, serverNames(stack));
  if (owner === undefined) {
    const isBare = !/[./]|^mcp__/.test(written);
    return isBare && possibleOwners(stack, { tool: written, role }, base).length === 0
      ? nearTool(written, tools)
      : undefined;
  }
  if (others.length > 0 || owner.tool === undefined) return undefined;
  return nearTool(
    owner.tool,
    tools.filter(({ server }) => server === owner.server),
  );
}

/** For a name whose server is not configured. A role learns no server of which it may use nothing. */
function suggestServer(stack: Stack, wanted: string, role: string | undefined): string {
  const [, server, tool] = /^(?:mcp__)?(.+?)(?:[./]|__)(.+)$/s.exec(wanted) ?? [];
  if (server === undefined || tool === undefined) return '';
  const unusable = role === undefined ? [] : unusableServers(stack, role);
  const names = [...serverNames(stack)].filter((name) => !unusable.includes(name));
  const nearest = names.includes(server) ? undefined : nearestName(server, names);
  return nearest === undefined ? '' : `Did you mean "${publicName(nearest, tool)}"? `;
}

/** Public name of the tool that `server.tool` or `server/tool` names. */
function findWrittenTool(stack: Stack, written: string): string | undefined {
  const [owner] = toolOwners(written, serverNames(stack));
  return owner?.tool === undefined ? undefined : publicName(owner.server, owner.tool);
}

/**
 * A name without a server may belong to every server that has not listed its tools, unless a known tool has it or it
 * names a server that is not configured. A server that failed is not started again for a guess.
 */
function possibleOwners(
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
      : mayBeAnywhere(stack, written)
        ? serversWithoutTools(rows.filter(({ autoStart, state, needs }) => autoStart && state !== 'failed' && !needs))
        : [],
  );
  const owners = named.length > 0 ? named : Array.from(startable, (server) => ({ server, tool: written }));
  return owners
    .filter((owner) => role === undefined || mayBelongTo(stack, role, { ...owner, written }))
    .map((owner) => ({ ...owner, mayStart: startable.has(owner.server) }));
}

function mayBeAnywhere({ registry }: Stack, written: string): boolean {
  if (/[./]|^mcp__/.test(written)) return false;
  return !registry.list().some(({ tool }) => tool === written);
}

function mayBelongTo(
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

function unusableServers({ config, registry }: Stack, role: string): readonly string[] {
  const policy = registry.policy({ role });
  return config.servers.map(({ name }) => name).filter((server) => !policy({ kind: 'any', server }).isAllowed);
}

/** Rules about annotations refuse nothing here, because annotations may be unknown. */
function mayUseTool(stack: Stack, role: string, tool: { readonly server: string; readonly tool: string }): boolean {
  const decision = stack.registry.policy({ role })(tool);
  return decision.isAllowed || decision.reason === 'annotations';
}

/** Servers of the config and of other nodes. */
function serverNames({ config, registry }: Stack): ReadonlySet<string> {
  return new Set([...config.servers.map(({ name }) => name), ...registry.list().flatMap(({ server }) => server ?? [])]);
}

export function roleControl(stack: Stack) {
  return {
    roles: async () => roleReports(stack),
    mayUse: async ({ role, server, tool }) => {
      requireRole(stack.config, role);
      return mayUseTool(stack, role, { server, tool });
    },
    explain: async ({ role, tool }) => {
      requireRole(stack.config, role);
      return await stack.registry.explain(role, tool);
    },
    access: async (request) => accessReport(stack, request),
  } satisfies Partial<ServerHandlers>;
}

async function roleReports({ registry, config }: Stack): Promise<readonly RoleReport[]> {
  const diagnostics = await registry.diagnostics();
  const unmatched = diagnostics.flatMap((each) => (each.code === 'rule-matches-nothing' ? [each] : []));
  const ambiguous = diagnostics.flatMap((each) => (each.code === 'ambiguous-rule' ? [each] : []));
  const names = [...new Set(config.roles.map(({ role }) => role))];
  return names.map((role) => ({
    role,
    rules: config.roles.filter((rule) => rule.role === role),
    tools: registry
      .view({ role })
      .list()
      .map(({ name }) => name),
    unmatched: [
      ...unmatched
        .filter((entry) => entry.role === role)
        .map(({ list, pattern, message }) => ({ list, pattern, message })),
      ...withoutServer(config, role),
    ],
    ambiguous: ambiguous
      .filter((entry) => entry.role === role)
      .map(({ list, pattern, servers, message }) => ({ list, pattern, servers, message })),
  }));
}

/** Allowances of servers that are not configured. The registry does not report them, because a server may be attached later. */
function withoutServer({ issues, roles }: Stack['config'], role: string): RoleReport['unmatched'] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'unknown-server') return [];
    const [, tool, part, ofRole, list, index] = issue.path;
    if (part !== 'role_restrictions' || ofRole !== role || list !== 'allowed_tools') return [];
    const rule = roles.find((each) => each.role === role && each.tool === tool && each.source?.file === issue.file);
    const pattern = rule?.allowedTools[Number(index)] ?? issue.server;
    const near = issue.didYouMean === undefined ? '' : `; near: ${issue.didYouMean}`;
    const place = issue.file === undefined ? '' : ` at ${issue.file}:${issue.line}`;
    const message = `The role "${role}" allows "${pattern}"${place}, but no server "${issue.server}" is configured${near}`;
    return [{ list: 'allowedTools', pattern, message } as const];
  });
}

export function approvalControl({ approvals }: Stack, base: ControlBase) {
  return {
    approvals: async () => approvals.waiting.map((request) => approvalReport(request, base)),
    answerApproval: async ({ id, isApproved, by, reason }) => ({
      isAnswered: await approvals.answer(id, { isApproved, by, ...(reason !== undefined && { reason }) }),
    }),
  } satisfies Partial<ServerHandlers>;
}

function approvalReport(
  { id, server, tool, args, caller: { role, principal }, expiresAt, digest, text, isWhole }: ApprovalRequest,
  { redact, redactData }: ControlBase,
): ApprovalReport {
  const who = present({ server, role, principal });
  return { id, ...who, tool, arguments: redactData(args), expiresAt, digest, text: redact(text), isWhole };
}

export function pinControl(stack: Stack, base: ControlBase) {
  return {
    pins: async ({ server }) => {
      const { pins } = stack.registry;
      if (server !== undefined) serverNamed(stack, server);
      await refreshPins(stack);
      const tools = await pins.list({ server });
      return { trust: stack.trust, tools: tools.map((tool) => redactEntry(tool, base)) };
    },
    pinDiff: async ({ server, tool }) => {
      await refreshPins(stack);
      return base.redact(await stack.registry.pins.diff({ server, tool }, { redact: base.redactData }));
    },
    approvePins: async ({ tools }) => stack.registry.pins.approve(tools),
    revokePins: async ({ server, tool }) => stack.registry.pins.revoke({ server, tool }),
    setTrust: async ({ mode, servers }) => {
      if (!isTrustMode(mode)) {
        throw new ControlError('invalid-request', `Unknown mode "${mode}".`, {
          hint: `Modes are ${trustModes.join(', ')}.`,
        });
      }
      for (const name of servers ?? []) serverNamed(stack, name);
      await stack.setTrust({ mode, servers });
    },
  } satisfies Partial<ServerHandlers>;
}

/** Another process may have approved tools since the last read. */
async function refreshPins({ registry }: Stack): Promise<void> {
  await registry.pins.ready.catch(() => undefined); // `reload` retries and reports the failure
  await registry.pins.reload();
}
