import { ManagerError } from '../errors.js';
import type { SessionFacts } from './session.js';

/** The capability that a server must have declared for a method, as a path. Methods that are not here need none. */
const capabilities: ReadonlyMap<string, readonly string[]> = new Map([
  ['completion/complete', ['completions']],
  ['logging/setLevel', ['logging']],
  ['prompts/get', ['prompts']],
  ['prompts/list', ['prompts']],
  ['resources/list', ['resources']],
  ['resources/read', ['resources']],
  ['resources/subscribe', ['resources', 'subscribe']],
  ['resources/templates/list', ['resources']],
  ['resources/unsubscribe', ['resources', 'subscribe']],
  ['tasks/cancel', ['tasks']],
  ['tasks/get', ['tasks']],
  ['tasks/list', ['tasks', 'list']],
  ['tasks/result', ['tasks']],
  ['tools/call', ['tools']],
  ['tools/list', ['tools']],
]);

/** The revisions in which completion was there and the capability for it was not. */
const withoutCompletions: ReadonlySet<string> = new Set(['2024-10-07', '2024-11-05']);

/** @throws {ManagerError} `unsupported` */
export function requireCapability(method: string, { facts, server }: { facts: SessionFacts; server: string }): void {
  const path = capabilities.get(method);
  if (!path || isDeclared(path, facts.capabilities)) return;
  if (method === 'completion/complete' && withoutCompletions.has(facts.protocolVersion)) return;
  // Tasks are an extension from this revision on, with a declaration of their own.
  if (path[0] === 'tasks' && facts.era === 'modern') return;
  const declared = Object.keys(facts.capabilities).join(', ') || 'none';
  const message = `Server "${server}" does not offer "${method}": it did not declare "${path.join('.')}" (capabilities: ${declared}).`;
  throw new ManagerError('unsupported', message, { server });
}

function isDeclared(path: readonly string[], declared: unknown): boolean {
  const end = path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], declared);
  return end !== undefined && end !== null && end !== false;
}
