import type { AuditedLimit } from '@x/internal/views';
import type { RulePlace } from '../catalog/diagnostics.js';

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
  | PromptAuditEvent
  | CompleteAuditEvent
  | SubscribeAuditEvent
  | PassOnAuditEvent;

/** What every event tells. */
export interface AuditEventBase {
  /** ISO 8601, UTC. */
  readonly time: string;
  /** Role of the view that was asked; left out for a view of everything. */
  readonly role?: string | undefined;
  /** `ViewOptions.principal`. */
  readonly principal?: string | undefined;
}

/** The tools of a view were listed. */
export interface ListAuditEvent extends AuditEventBase {
  readonly action: 'list';
  readonly decision: 'allowed';
  /** How many tools the view has. */
  readonly shown: number;
  /** How many more tools there are. */
  readonly hidden: number;
}

/** The tools of a view were searched. */
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
export interface AuditedAttempt {
  /** The same for the two events of one call, read, prompt and so on. Counted by each registry from 1. */
  readonly call: number;
  /** With `denied`: no rule decided, but a limit of the gateway's. Who asked was told so. */
  readonly reason?: AuditedLimit | undefined;
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

/** A tool was called, or would have been. */
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

/** Suggestions for an argument of a prompt, or of a template of resources, were asked for through a gateway. */
export interface CompleteAuditEvent extends AuditEventBase, AuditedPart, AuditedAttempt {
  readonly action: 'complete';
  /** Of the template, as it was asked for, without a user and a password; left out for a prompt. */
  readonly uri?: string | undefined;
  /** Of the prompt, as it was asked for; left out for a template. */
  readonly name?: string | undefined;
  /** The server's own name for the prompt; left out when there is no such prompt. */
  readonly prompt?: string | undefined;
  /** Of the argument that is to be completed, and of those that are settled already. */
  readonly argumentShape: ArgumentShape;
}

/** Changes of a resource are wanted, through a gateway: `started`, and whether its server has taken that. */
export interface SubscribeAuditEvent extends AuditEventBase, AuditedPart, AuditedAttempt {
  readonly action: 'subscribe';
  /** As it was asked for, without a user and a password. */
  readonly uri: string;
}

/** A gateway passed on what it does not answer itself: what is asked of a task, and what only a server knows. */
export interface PassOnAuditEvent extends AuditEventBase, AuditedPart, AuditedAttempt {
  readonly action: 'pass-on';
  /** Of the request, or of the notification, which ends as `ok` when its server was told. */
  readonly method: string;
  /** The server's own name for the tool that the task is a call of; left out when it is about no task. */
  readonly tool?: string | undefined;
}

/** What was decided of a resource or a prompt. */
export interface AuditedPart {
  /** Whose it is; left out when there is none. */
  readonly server?: string | undefined;
  readonly decision: AuditDecision;
  readonly rule?: AuditedRule | undefined;
}

/**
 * `denied`: it is there and the role may not use it, and who asked was told the same as for `unknown`; or it was one request
 * too many, which `reason` says.
 */
export type AuditDecision = 'allowed' | 'denied' | 'unknown';

/** What was decided of a tool. */
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

/** The rule that decided, and where it is written. */
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
