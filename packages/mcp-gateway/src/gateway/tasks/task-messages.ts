import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  type ServerCapabilities,
} from '@modelcontextprotocol/server';
import type { CallToolOptions } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { peekTools, type ToolView } from '@x/internal/views';
import type { ClientRequest } from '../../server/methods/client-request.js';
import type { Audience } from '../audiences.js';
import type { GatewayCore } from '../gateway-core.js';
import type { GatewayUpstream, UpstreamResult } from '../upstream.js';

/** Before revision 2026-07-28, tasks were part of the protocol. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
const RELATED_TASK_META_KEY = 'io.modelcontextprotocol/related-task';

export function taskIdOf({ resultType, taskId, task }: UpstreamResult): string | undefined {
  const id = resultType === 'task' ? taskId : isRecord(task) ? task.taskId : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Returns the id of the task that a message is about. */
export function namedTaskOf({ taskId, _meta: meta }: UpstreamResult): string | undefined {
  if (typeof taskId === 'string') return taskId;
  const related = isRecord(meta) ? meta[RELATED_TASK_META_KEY] : undefined;
  return isRecord(related) && typeof related.taskId === 'string' ? related.taskId : undefined;
}

/** Tool results require content, and tasks lack it. */
export function withoutEmptyContent({ content, ...rest }: UpstreamResult): UpstreamResult {
  return Array.isArray(content) && content.length === 0 ? rest : { ...rest, content };
}

/** Sets the id in all places of the protocol. */
export function withTaskId(result: UpstreamResult, id: string): UpstreamResult {
  const { taskId, task, _meta: meta } = result;
  const related = isRecord(meta) ? meta[RELATED_TASK_META_KEY] : undefined;
  return {
    ...result,
    ...(typeof taskId === 'string' && { taskId: id }),
    ...(isRecord(task) && typeof task.taskId === 'string' && { task: { ...task, taskId: id } }),
    ...(isRecord(related) && {
      _meta: { ...(meta as UpstreamResult), [RELATED_TASK_META_KEY]: { ...related, taskId: id } },
    }),
  };
}

/** @throws {MissingRequiredClientCapabilityError} without the tasks extension since revision 2026-07-28. */
export function requireTasks(context: ClientRequest): void {
  if (context.era === 'legacy') return;
  const declared = context.envelope[CLIENT_CAPABILITIES_META_KEY];
  const extensions = isRecord(declared) ? declared.extensions : undefined;
  if (isRecord(extensions) && extensions[TASKS_EXTENSION] !== undefined) return;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } });
}

/** Requests a task, before revision 2026-07-28, from a server that supports them. */
export function withTask(
  options: CallToolOptions,
  { task }: { readonly task?: unknown },
  upstream: GatewayUpstream | undefined,
): CallToolOptions {
  const { capabilities, era } = upstream?.session ?? {};
  if (!isRecord(task) || era === 'modern' || capabilities?.tasks === undefined) return options;
  return { ...options, params: { ...options.params, task } };
}

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
