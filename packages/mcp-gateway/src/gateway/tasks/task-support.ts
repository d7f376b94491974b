import type { ServerCapabilities } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import { peekTools, type ToolView } from '@x/internal/views';
import type { Audience } from '../audiences.js';
import type { GatewayCore } from '../gateway-core.js';

const SUPPORT: ReadonlySet<unknown> = new Set(['forbidden', 'optional', 'required']);

/**
 * Adds `execution.taskSupport` of revision 2025-11-25 where calls can be tasks: the gateway has offered tasks to this
 * client, and the tool's server supports them.
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

/** Clients validate a list as a whole, so an invalid entry would cost them all tools. */
function isExecution({ execution }: ToolView): boolean {
  return isRecord(execution) && (execution.taskSupport === undefined || SUPPORT.has(execution.taskSupport));
}
