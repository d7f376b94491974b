import type { Audience } from '../audiences.js';
import type { GatewayCore } from '../gateway-core.js';
import { namedTaskOf, withTaskId } from '../tasks/task-results.js';
import type { UpstreamEvent, UpstreamNotification } from '../upstream.js';
import { mayUseWhole } from './other-methods.js';
import { isPlainMethod } from './plain-methods.js';

/** Notifications that the gateway handles itself, or never forwards. */
const PROTOCOL_NOTIFICATIONS =
  /^notifications\/((initialized|cancelled|progress|message)$|(tools|resources|prompts|roots|elicitation|subscriptions)\/)/i;

export function isNotice(method: string): boolean {
  return isPlainMethod(method) && !PROTOCOL_NOTIFICATIONS.test(method);
}

/**
 * An unknown notification goes to the creator of its task, or to an audience that may use the whole of the only server.
 */
export function noticeFor(
  core: GatewayCore,
  { server, method, params }: UpstreamEvent & UpstreamNotification,
  { owner, audience }: { readonly owner: string; readonly audience: Audience },
): UpstreamNotification | undefined {
  if (!isNotice(method)) return undefined;
  const { policy } = audience;
  const taskId = namedTaskOf(params);
  if (taskId !== undefined) {
    const task = core.tasks.ownerOf(server, taskId);
    if (task?.owner !== owner || !policy(task.tool).isAllowed) return undefined;
    return { method, params: withTaskId(params, task.id) };
  }
  const isOnly = core.usedBy(audience).length === 1;
  return isOnly && !/^notifications\/tasks/i.test(method) && mayUseWhole(policy, server)
    ? { method, params }
    : undefined;
}
