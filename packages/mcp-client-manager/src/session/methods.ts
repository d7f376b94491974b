import { ManagerError } from '../errors.js';
import type { ChangeStream } from './notifications/change-stream.js';
import type { Params } from './peer/json-rpc.js';
import type { SessionFacts } from './session.js';

/** Server capability that each method requires, as a path. */
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

/** Revisions with `completion/complete` but without its capability. */
const withoutCompletions: ReadonlySet<string> = new Set(['2024-10-07', '2024-11-05']);

/** @throws {ManagerError} `unsupported` */
export function requireCapability(method: string, { facts, server }: { facts: SessionFacts; server: string }): void {
  const path = capabilities.get(method);
  if (!path || isDeclared(path, facts.capabilities)) return;
  if (method === 'completion/complete' && withoutCompletions.has(facts.protocolVersion)) return;
  // From revision 2026-07-28 on, tasks are an extension with their own declaration.
  if (path[0] === 'tasks' && facts.era === 'modern') return;
  const declared = Object.keys(facts.capabilities).join(', ') || 'none';
  const message = `Server "${server}" does not offer "${method}": it did not declare "${path.join('.')}" (capabilities: ${declared}).`;
  throw new ManagerError('unsupported', message, { server });
}

function isDeclared(path: readonly string[], declared: unknown): boolean {
  const end = path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], declared);
  return end !== undefined && end !== null && end !== false;
}

type Replacement = (ways: ReplacementContext, params: Params) => Promise<unknown> | undefined;

interface ReplacementContext {
  readonly changes: ChangeStream;
  discover(): Promise<unknown>;
  setLogLevel(level: unknown): void;
}

/**
 * Methods that revision 2026-07-28 dropped. Their replacements return an empty result: callers need not know the
 * server's revision.
 */
export const modernReplacements: ReadonlyMap<string, Replacement> = new Map<string, Replacement>([
  ['ping', ({ discover }) => discover()],
  // Since then each request carries the log level.
  ['logging/setLevel', ({ setLogLevel }, { level }) => void setLogLevel(level)],
  ['resources/subscribe', ({ changes }, { uri }) => changes.addResource(String(uri))],
  ['resources/unsubscribe', ({ changes }, { uri }) => changes.removeResource(String(uri))],
]);
