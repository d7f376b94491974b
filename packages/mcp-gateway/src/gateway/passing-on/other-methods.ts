import type { RolePolicy } from '../../registry.js';
import type { Audience } from '../audiences.js';
import type { GatewayCore } from '../gateway-core.js';
import type { ClientTasks } from '../tasks/client-tasks.js';
import type { GatewayUpstream, UpstreamResult } from '../upstream.js';
import { isPlainMethod } from './plain-methods.js';

/** A message that the gateway knows only by its name, with its server. */
export interface RoutedMessage {
  readonly upstream: GatewayUpstream;
  readonly params: UpstreamResult;
}

/**
 * Methods of the protocol are implemented by the gateway itself, or not at all: roles, names and audit apply to them.
 * Compared regardless of case, which a server may ignore.
 */
const PROTOCOL_REQUESTS =
  /^(initialize|ping|server\/discover|tasks\/(get|result|list|update|cancel)|(tools|resources|prompts|completion|logging|sampling|elicitation|roots|subscriptions)\/.+)$/i;
/** Additions of extensions to the protocol's names. */
const EXTENSION_REQUESTS: ReadonlySet<string> = new Set(['resources/directory/read']);

/**
 * The server of a message with an unknown method: that of the resource or task that it names, or the only server. The
 * effect of such a message is unknown, so it is passed on only for audiences from which nothing of the server is
 * hidden.
 *
 * @returns `undefined` for a method that counts as unknown.
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

/** True if nothing of a server is hidden from an audience. */
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
