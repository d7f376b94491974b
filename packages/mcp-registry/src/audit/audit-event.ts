import type { RulePlace } from '../roles/role-rule.js';

/**
 * What somebody asked of the registry, and what was decided. Holds no values of arguments and no results, and each text
 * in it that comes from outside is cut, so that an event is never larger than a few kilobytes. Plain JSON.
 */
export type AuditEvent = ListAuditEvent | SearchAuditEvent | DescribeAuditEvent | CallAuditEvent;

interface AuditEventBase {
  /** ISO 8601, UTC. */
  readonly time: string;
  /** Role of the view that was asked; left out for a view of everything. */
  readonly role?: string | undefined;
  /** `ViewOptions.principal`. */
  readonly principal?: string | undefined;
}

export interface ListAuditEvent extends AuditEventBase {
  readonly action: 'list';
  readonly decision: 'allowed';
  /** How many tools the view has. */
  readonly shown: number;
  /** How many more tools there are. */
  readonly hidden: number;
}

export interface SearchAuditEvent extends AuditEventBase {
  readonly action: 'search';
  readonly decision: 'allowed';
  readonly shown: number;
  readonly hidden: number;
  /** Of the search request. */
  readonly argumentShape: ArgumentShape;
}

/** A tool was looked up by its name. */
export interface DescribeAuditEvent extends AuditEventBase, AuditedTool {
  readonly action: 'describe';
}

/** A call: one event when it is refused, and two when it is let through, `started` and how it ended. */
export interface CallAuditEvent extends AuditEventBase, AuditedTool {
  readonly action: 'call';
  /** The same for the two events of one call. Counted by each registry from 1. */
  readonly call: number;
  readonly argumentShape: ArgumentShape;
  /** Left out when the call was refused. `tool-error`: the tool's result has `isError`. `failed`: there is no result. */
  readonly outcome?: 'started' | 'ok' | 'tool-error' | 'failed' | undefined;
  /** With `failed`: the code of the error, or else its name. */
  readonly error?: string | undefined;
  /** From the decision to the end of the call. */
  readonly durationMs?: number | undefined;
}

export interface AuditedTool {
  /** The name that was asked for. */
  readonly name: string;
  /** Whose tool that is; left out for a native tool and when there is none. */
  readonly server?: string | undefined;
  /** The tool's own name; left out when there is no such tool. */
  readonly tool?: string | undefined;
  /** `denied`: the tool is there and the role may not use it. Who asked was told the same as for `unknown`. */
  readonly decision: 'allowed' | 'denied' | 'unknown';
  /** What decided; left out without a role and for `unknown`. */
  readonly rule?: AuditedRule | undefined;
}

export interface AuditedRule {
  /** The rule's role, which may be one that is inherited. */
  readonly role: string;
  /** The pattern that allowed or denied. */
  readonly pattern?: string | undefined;
  /** With `denied`. */
  readonly reason?: string | undefined;
  readonly source?: RulePlace | undefined;
}

/** What arguments look like from outside: names that the tool's schema has, types and sizes; never a value. */
export interface ArgumentShape {
  /** By name: `string(12)` counts UTF-16 code units, `array(3)` items, `object(2)` keys; `number`, `boolean`, `null`. */
  readonly known: Readonly<Record<string, string>>;
  /** How many arguments the schema does not name, or that are more than an event has room for. */
  readonly others: number;
}
