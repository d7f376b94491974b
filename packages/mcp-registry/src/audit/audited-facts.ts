import { isTaskResult } from '../catalog/native-result.js';
import type { ToolEntry } from '../catalog/snapshot.js';
import { isRegistryError } from '../errors.js';
import type { RoleDecision } from '../roles/compile-role.js';
import type { ToolLookup } from '../views/visible-tools.js';
import type { AuditedPart, AuditedRule, AuditedTool, AuditOutcome } from './audit-event.js';

const MAX_TEXT_LENGTH = 200;

export interface CalledTool extends Pick<ToolLookup, 'name' | 'decision'> {
  readonly hidden: Pick<ToolEntry, 'view'> | undefined;
  /** `hidden`, if it is visible. */
  readonly entry: Pick<ToolEntry, 'view'> | undefined;
}

export interface PartLookup {
  /** Absent if there is none. */
  readonly server?: string | undefined;
  /** The server's own name for it. */
  readonly key?: string | undefined;
  readonly decision?: RoleDecision | undefined;
}

export function toAuditedTool({ name, entry, hidden, decision }: CalledTool): AuditedTool {
  const asked = { name: cut(String(name)) };
  if (hidden === undefined) return { ...asked, decision: 'unknown' };
  const { server, tool } = hidden.view;
  const rule = toAuditedRule(decision);
  return {
    ...asked,
    ...(server === undefined ? {} : { server: cut(server) }),
    tool: cut(tool),
    decision: entry === undefined ? 'denied' : 'allowed',
    ...(rule === undefined ? {} : { rule }),
  };
}

export function toAuditedPart({ server, decision }: PartLookup): AuditedPart {
  if (server === undefined || decision === undefined) return { decision: 'unknown' };
  const rule = toAuditedRule(decision);
  return {
    server: cut(server),
    decision: decision.isAllowed ? 'allowed' : 'denied',
    ...(rule === undefined ? {} : { rule }),
  };
}

export function outcomeOf(result: Readonly<Record<string, unknown>>): AuditOutcome {
  if (result.resultType === 'input_required') return 'input-required';
  if (isTaskResult(result)) return 'task';
  return result.isError === true ? 'tool-error' : 'ok';
}

export function withoutUser(uri: string): string {
  return uri.replace(/\/\/[^/?#]*@/, '//');
}

function toAuditedRule(decision: RoleDecision): AuditedRule | undefined {
  if (decision.rule === undefined) return undefined;
  const { role, source } = decision.rule;
  const { pattern } = decision;
  return {
    role: cut(role),
    ...(pattern === undefined ? {} : { pattern: cut(pattern) }),
    ...(decision.isAllowed ? {} : { reason: decision.reason }),
    ...(source === undefined ? {} : { source }),
  };
}

/** Code or name of an error. The message may contain values. */
export function nameOf(error: unknown): string {
  if (isRegistryError(error)) return error.code;
  if (!(error instanceof Error)) return 'unknown';
  const { code, name } = error as { readonly code?: unknown; readonly name: unknown };
  const word = [code, name].find((text) => typeof text === 'string' && /^[\w-]{1,64}$/.test(text));
  return (word as string | undefined) ?? 'unknown';
}

export function cut(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}
