import type { ServerCapabilities } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import { peekTools, type ToolView } from '@x/internal/views';
import type { Audience } from '../audiences.js';
import type { GatewayCore } from '../gateway-core.js';

const SUPPORT: ReadonlySet<unknown> = new Set(['forbidden', 'optional', 'required']);

/**
 * The same page, where tools say whether they run as tasks (`execution.taskSupport` of the revision 2025-11-25) as far as
 * this client's calls can: the gateway has offered tasks to it, and the tool's server takes them. Elsewhere nothing is
 * said: a client would ask for a task and be given none. Since 2026-07-28 tools do not say, and servers decide.
 */
export function withTaskSupport<Page extends { readonly tools: readonly { readonly name: string }[] }>(
  page: Page,
  { upstreams }: GatewayCore,
  { audience, offered }: { readonly audience: Audience; readonly offered: ServerCapabilities['tasks'] },
): Page {
  if (!takesCalls(offered)) return page;
  const taking = new Set(
    upstreams.servers().flatMap(({ name, session }) => {
      return session?.era !== 'modern' && takesCalls(session?.capabilities.tasks) ? [name] : [];
    }),
  );
  const executions = new Map(
    peekTools(audience.view)
      .filter((tool) => taking.has(tool.server ?? '') && isExecution(tool))
      .map(({ name, execution }) => [name, execution]),
  );
  if (executions.size === 0) return page;
  const tools = page.tools.map((tool) => {
    const execution = executions.get(tool.name);
    return execution === undefined ? tool : { ...tool, execution };
  });
  return { ...page, tools };
}

function takesCalls(tasks: unknown): boolean {
  if (!isRecord(tasks) || !isRecord(tasks.requests) || !isRecord(tasks.requests.tools)) return false;
  return tasks.requests.tools.call !== undefined;
}

/** Clients check a list as a whole: what is none would cost them all tools. */
function isExecution({ execution }: ToolView): boolean {
  return isRecord(execution) && (execution.taskSupport === undefined || SUPPORT.has(execution.taskSupport));
}
