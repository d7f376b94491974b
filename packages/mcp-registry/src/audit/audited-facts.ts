import type { JsonSchema } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { isTaskResult } from '../calls/call-results.js';
import type { ToolEntry } from '../catalog/snapshot.js';
import { isRegistryError } from '../errors.js';
import type { RoleDecision } from '../roles/compile-role.js';
import type { ToolLookup } from '../views/visible-tools.js';
import type { ArgumentShape, AuditedPart, AuditedRule, AuditedTool, AuditOutcome } from './audit-event.js';

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
  const requested = { name: cut(String(name)) };
  if (hidden === undefined) return { ...requested, decision: 'unknown' };
  const { server, tool } = hidden.view;
  const rule = toAuditedRule(decision);
  return {
    ...requested,
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

const MAX_KNOWN = 32;
const MAX_NAME_LENGTH = 64;

/** Describes arguments without values. Names that the schema lacks may be values, so they are only counted. */
export function toArgumentShape(args: unknown, schema: JsonSchema | undefined): ArgumentShape {
  if (!isRecord(args)) return { known: {}, others: 0 };
  const names = Object.keys(args);
  const properties = isRecord(schema?.properties) ? schema.properties : {};
  const known = names.filter((name) => name.length <= MAX_NAME_LENGTH && Object.hasOwn(properties, name));
  const shown = known.slice(0, MAX_KNOWN);
  return {
    // fromEntries defines own properties, even for `__proto__`.
    known: Object.fromEntries(shown.map((name) => [name, typeOf(args[name])])),
    others: names.length - shown.length,
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `string(${value.length})`;
  if (Array.isArray(value)) return `array(${value.length})`;
  if (typeof value === 'object') return `object(${Object.keys(value).length})`;
  return typeof value;
}
