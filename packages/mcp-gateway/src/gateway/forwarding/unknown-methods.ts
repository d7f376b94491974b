import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Audience } from '../audiences.js';
import { extensionServers, mayUseWhole } from '../extensions/extension-servers.js';
import type { GatewayCore } from '../gateway-core.js';
import type { ClientTasks } from '../tasks/client-tasks.js';
import { namedTaskOf, withTaskId } from '../tasks/task-messages.js';
import type { GatewayUpstream, UpstreamEvent, UpstreamNotification, UpstreamResult } from '../upstream.js';

export interface RoutedMessage {
  readonly upstream: GatewayUpstream;
  readonly params: UpstreamResult;
}

/** Implemented or refused, since roles, names and audit apply to them. Ignores case, as servers may. */
const PROTOCOL_REQUESTS =
  /^(initialize|ping|server\/discover|tasks\/(get|result|list|update|cancel)|(tools|resources|prompts|completion|logging|sampling|elicitation|roots|subscriptions)\/.+)$/i;
const EXTENSION_REQUESTS: ReadonlySet<string> = new Set(['resources/directory/read']);

/**
 * Finds the server of an unknown method: that of its resource or task, the only server, or the only one with an unknown
 * extension. Its effect is unknown, so the audience must be allowed to use the whole server.
 *
 * @throws {ProtocolError} -32602 if it is about a task of another client, or several servers may have it.
 */
export async function routeUnknown(
  core: GatewayCore,
  { method, params }: { readonly method: string; readonly params: UpstreamResult },
  { audience, tasks }: { readonly audience: Audience; readonly tasks: ClientTasks },
): Promise<RoutedMessage | undefined> {
  const { policy } = audience;
  if (!hasUsualForm(method)) return undefined;
  if (PROTOCOL_REQUESTS.test(method) && !EXTENSION_REQUESTS.has(method)) return undefined;
  if (/^tasks\//i.test(method) && !tasks.isTask(params.taskId)) return undefined;
  const routed =
    (await routeByName(core, params, { audience, tasks })) ?? routeToOnly(core, audience, { method, params });
  return routed && mayUseWhole(policy, routed.upstream.name) ? routed : undefined;
}

async function routeByName(
  core: GatewayCore,
  params: UpstreamResult,
  { audience, tasks }: { readonly audience: Audience; readonly tasks: ClientTasks },
): Promise<RoutedMessage | undefined> {
  const { uri, taskId } = params;
  if (tasks.isTask(taskId)) {
    const task = tasks.find(taskId, audience.policy);
    return { upstream: task.upstream, params: { ...params, taskId: task.taskId } };
  }
  const found = typeof uri === 'string' ? await core.findResource(uri, audience) : undefined;
  return found && { upstream: found.upstream, params: { ...params, uri: found.key } };
}

function routeToOnly(
  core: GatewayCore,
  audience: Audience,
  { method, params }: { readonly method: string; readonly params: UpstreamResult },
): RoutedMessage | undefined {
  const used = core.usedBy(audience);
  const [only, ...others] = used.length === 1 ? used : extensionServers(core, audience, method);
  if (others.length > 0) throw severalServers(method, [only, ...others]);
  return only && { upstream: only, params };
}

function severalServers(method: string, upstreams: readonly (GatewayUpstream | undefined)[]): ProtocolError {
  const servers = upstreams.flatMap((upstream) => upstream?.name ?? []);
  const message = `Several servers may have the method "${method}": ${servers.join(', ')}; connect with a role or a list of servers that has one of them`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { servers });
}

/** Notifications that the gateway handles itself, or never forwards. */
const PROTOCOL_NOTIFICATIONS =
  /^notifications\/((initialized|cancelled|progress|message)$|(tools|resources|prompts|roots|elicitation|subscriptions)\/)/i;

export function isUnknownNotification(method: string): boolean {
  return hasUsualForm(method) && !PROTOCOL_NOTIFICATIONS.test(method);
}

/**
 * An unknown notification goes to the creator of its task, or to an audience for which its sender is the only server
 * that may have it.
 */
export function forwardedNotification(
  core: GatewayCore,
  { server, method, params }: UpstreamEvent & UpstreamNotification,
  { owner, audience }: { readonly owner: string; readonly audience: Audience },
): UpstreamNotification | undefined {
  if (!isUnknownNotification(method)) return undefined;
  const { policy } = audience;
  const taskId = namedTaskOf(params);
  if (taskId !== undefined) {
    const task = core.tasks.ownerOf(server, taskId);
    if (task?.owner !== owner || !policy(task.tool).isAllowed) return undefined;
    return { method, params: withTaskId(params, task.id) };
  }
  const used = core.usedBy(audience);
  const senders = used.length === 1 ? used : extensionServers(core, audience, method);
  const isOnly = senders.length === 1 && senders[0]?.name === server;
  return isOnly && !/^notifications\/tasks/i.test(method) && mayUseWhole(policy, server)
    ? { method, params }
    : undefined;
}

const MAX_LENGTH = 256;

/** False for a form that the gateway and a server could read differently, such as `tools/call` with a line break. */
function hasUsualForm(method: string): boolean {
  return method.length <= MAX_LENGTH && /^[\w$.-]+(?:\/[\w$.-]+)*$/.test(method);
}
