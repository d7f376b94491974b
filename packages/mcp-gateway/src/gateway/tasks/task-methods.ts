import { CLIENT_CAPABILITIES_META_KEY, MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server';
import type { CallToolOptions } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import type { ClientRequest } from '../../server/methods/client-request.js';
import { isModern } from '../client-request.js';
import type { GatewayUpstream } from '../upstream.js';
import { TASKS_EXTENSION } from './task-results.js';

/** @throws {MissingRequiredClientCapabilityError} without the tasks extension since revision 2026-07-28. */
export function requireTasks(context: ClientRequest): void {
  if (!isModern(context)) return;
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
