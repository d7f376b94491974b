import type { RulePlace } from '../roles/role-rule.js';

/**
 * What somebody asked of the registry, and what was decided. Holds no values of arguments and no results, and each text
 * in it that comes from outside is cut, so that an event is never larger than a few kilobytes. Plain JSON.
 */
export type AuditEvent =
  | ListAuditEvent
  | SearchAuditEvent
  | DescribeAuditEvent
  | CallAuditEvent
  | ReadAuditEvent
  | PromptAuditEvent;

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

/** One event when it is refused, and two when it is let through, `started` and how it ended. */
interface AuditedAttempt {
  /** The same for the two events of one call, read or prompt. Counted by each registry from 1. */
  readonly call: number;
  /** Left out when it was refused. */
  readonly outcome?: AuditOutcome | undefined;
  /** With `failed`: the code of the error, or else its name. */
  readonly error?: string | undefined;
  /** From the decision to the end. */
  readonly durationMs?: number | undefined;
}

/**
 * `tool-error`: the tool's result has `isError`. `failed`: there is no result. `input-required`: the server needs something
 * of the client first, who asks again with it. `task`: it goes on as a task.
 */
export type AuditOutcome = 'started' | 'ok' | 'tool-error' | 'failed' | 'input-required' | 'task';

export interface CallAuditEvent extends AuditEventBase, AuditedTool, AuditedAttempt {
  readonly action: 'call';
  readonly argumentShape: ArgumentShape;
}

/** A resource was read through a gateway. */
export interface ReadAuditEvent extends AuditEventBase, AuditedPart, AuditedAttempt {
  readonly action: 'read';
  /** As it was asked for, without a user and a password. */
  readonly uri: string;
}

/** A prompt was asked for through a gateway. */
export interface PromptAuditEvent extends AuditEventBase, AuditedPart, AuditedAttempt {
  readonly action: 'get-prompt';
  /** As it was asked for. */
  readonly name: string;
  /** The server's own name for it; left out when there is no such prompt. */
  readonly prompt?: string | undefined;
  readonly argumentShape: ArgumentShape;
}

export interface AuditedPart {
  /** Whose it is; left out when there is none. */
  readonly server?: string | undefined;
  readonly decision: AuditDecision;
  readonly rule?: AuditedRule | undefined;
}

/** `denied`: it is there and the role may not use it. Who asked was told the same as for `unknown`. */
export type AuditDecision = 'allowed' | 'denied' | 'unknown';

export interface AuditedTool {
  /** The name that was asked for. */
  readonly name: string;
  /** Whose tool that is; left out for a native tool and when there is none. */
  readonly server?: string | undefined;
  /** The tool's own name; left out when there is no such tool. */
  readonly tool?: string | undefined;
  readonly decision: AuditDecision;
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
