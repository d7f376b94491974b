import type { RolePolicy } from '../../registry.js';
import type { Audience } from '../audiences.js';
import type { GatewayCore } from '../gateway-core.js';
import type { ClientTasks } from '../tasks/client-tasks.js';
import type { GatewayUpstream, UpstreamResult } from '../upstream.js';
import { isPlainMethod } from './plain-methods.js';

export interface RoutedMessage {
  readonly upstream: GatewayUpstream;
  readonly params: UpstreamResult;
}

/** Implemented or refused, since roles, names and audit apply to them. Ignores case, as servers may. */
const PROTOCOL_REQUESTS =
  /^(initialize|ping|server\/discover|tasks\/(get|result|list|update|cancel)|(tools|resources|prompts|completion|logging|sampling|elicitation|roots|subscriptions)\/.+)$/i;
const EXTENSION_REQUESTS: ReadonlySet<string> = new Set(['resources/directory/read']);

/**
 * Finds the server of an unknown method: that of its resource or task, or the only server. Its effect is unknown, so
 * the audience must be allowed to use the whole server.
 *
 * @throws {ProtocolError} -32602 if it is about a task of another client.
 */
export async function routeOther(
  core: GatewayCore,
  { method, params }: { readonly method: string; readonly params: UpstreamResult },
  { audience, tasks }: { readonly audience: Audience; readonly tasks: ClientTasks },
): Promise<RoutedMessage | undefined> {
  const { policy } = audience;
  if (!isPlainMethod(method)) return undefined;
  if (PROTOCOL_REQUESTS.test(method) && !EXTENSION_REQUESTS.has(method)) return undefined;
  if (/^tasks\//i.test(method) && !tasks.isTask(params.taskId)) return undefined;
  const routed = (await routeByName(core, params, { audience, tasks })) ?? routeToOnly(core, audience, params);
  return routed && mayUseWhole(policy, routed.upstream.name) ? routed : undefined;
}

export function mayUseWhole(policy: RolePolicy, server: string): boolean {
  return policy({ kind: 'server', server }).isAllowed;
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

function routeToOnly(core: GatewayCore, audience: Audience, params: UpstreamResult): RoutedMessage | undefined {
  const [only, ...others] = core.usedBy(audience);
  return only !== undefined && others.length === 0 ? { upstream: only, params } : undefined;
}
