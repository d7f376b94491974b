import type { AuditedLimit } from '@x/internal/views';
import type { RulePlace } from '../catalog/diagnostics.js';

/**
 * A request to the registry, and the decision. Contains no argument values and no results; external texts are cut, so
 * that an event has a few kilobytes at most. Plain JSON.
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

/** Common to all events. */
export interface AuditEventBase {
  /** ISO 8601, UTC. */
  readonly time: string;
  /** Role of the view; absent for a view of everything. */
  readonly role?: string | undefined;
  /** `ViewOptions.principal`. */
  readonly principal?: string | undefined;
}

/** The tools of a view were listed. */
export interface ListAuditEvent extends AuditEventBase {
  readonly action: 'list';
  readonly decision: 'allowed';
  /** Number of tools in the view. */
  readonly shown: number;
  /** Number of further tools. */
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

/** One event for a refused request, two for an allowed one: `started`, and its outcome. */
export interface AuditedAttempt {
  /** Common to both events of one call, read, prompt and so on. Counted by each registry from 1. */
  readonly call: number;
  /** With `denied`: a limit of the gateway decided, not a rule. The requester was informed. */
  readonly reason?: AuditedLimit | undefined;
  /** Absent when refused. */
  readonly outcome?: AuditOutcome | undefined;
  /** With `failed`: the code of the error, or its name. */
  readonly error?: string | undefined;
  /** From the decision to the outcome. */
  readonly durationMs?: number | undefined;
}

/**
 * `tool-error`: the tool's result has `isError`. `failed`: there is no result. `input-required`: the server needs
 * input of the client first, which then repeats the request. `task`: the call continues as a task.
 */
export type AuditOutcome = 'started' | 'ok' | 'tool-error' | 'failed' | 'input-required' | 'task';

/** A tool call, allowed or refused. */
export interface CallAuditEvent extends AuditEventBase, AuditedTool, AuditedAttempt {
  readonly action: 'call';
  readonly argumentShape: ArgumentShape;
}

/** A resource read through a gateway. */
export interface ReadAuditEvent extends AuditEventBase, AuditedPart, AuditedAttempt {
  readonly action: 'read';
  /** As requested, without user and password. */
  readonly uri: string;
}

/** A prompt requested through a gateway. */
export interface PromptAuditEvent extends AuditEventBase, AuditedPart, AuditedAttempt {
  readonly action: 'get-prompt';
  /** As requested. */
  readonly name: string;
  /** The server's own name for it; absent when there is no such prompt. */
  readonly prompt?: string | undefined;
  readonly argumentShape: ArgumentShape;
}

/** Completion of an argument of a prompt or of a resource template, requested through a gateway. */
export interface CompleteAuditEvent extends AuditEventBase, AuditedPart, AuditedAttempt {
  readonly action: 'complete';
  /** Of the template, as requested, without user and password; absent for a prompt. */
  readonly uri?: string | undefined;
  /** Of the prompt, as requested; absent for a template. */
  readonly name?: string | undefined;
  /** The server's own name for the prompt; absent when there is no such prompt. */
  readonly prompt?: string | undefined;
  /** Of the argument to complete, and of those with a value. */
  readonly argumentShape: ArgumentShape;
}

/** A subscription to a resource through a gateway: `started`, and whether its server accepted it. */
export interface SubscribeAuditEvent extends AuditEventBase, AuditedPart, AuditedAttempt {
  readonly action: 'subscribe';
  /** As requested, without user and password. */
  readonly uri: string;
}

/** A message that a gateway passed on: a request about a task, or a method that only the server knows. */
export interface PassOnAuditEvent extends AuditEventBase, AuditedPart, AuditedAttempt {
  readonly action: 'pass-on';
  /** Of the request, or of the notification, which ends as `ok` once it was sent to the server. */
  readonly method: string;
  /** The server's own name for the tool of the task's call; absent without a task. */
  readonly tool?: string | undefined;
}

/** The decision about a resource or a prompt. */
export interface AuditedPart {
  /** The server; absent when there is none. */
  readonly server?: string | undefined;
  readonly decision: AuditDecision;
  readonly rule?: AuditedRule | undefined;
}

/**
 * `denied`: it exists and the role may not use it, and the requester got the same response as for `unknown`; or a
 * limit was exceeded, as `reason` says.
 */
export type AuditDecision = 'allowed' | 'denied' | 'unknown';

/** The decision about a tool. */
export interface AuditedTool {
  /** The requested name. */
  readonly name: string;
  /** The tool's server; absent for a native tool and when there is none. */
  readonly server?: string | undefined;
  /** The tool's own name; absent when there is no such tool. */
  readonly tool?: string | undefined;
  readonly decision: AuditDecision;
  /** The deciding rule; absent without a role and for `unknown`. */
  readonly rule?: AuditedRule | undefined;
}

/** The deciding rule, and its place. */
export interface AuditedRule {
  /** The rule's role, which may be an inherited one. */
  readonly role: string;
  /** The pattern that allowed or denied. */
  readonly pattern?: string | undefined;
  /** With `denied`. */
  readonly reason?: string | undefined;
  readonly source?: RulePlace | undefined;
}

/** Shape of the arguments: names in the tool's schema, types and sizes; never values. */
export interface ArgumentShape {
  /** By name: `string(12)` counts UTF-16 code units, `array(3)` items, `object(2)` keys; `number`, `boolean`, `null`. */
  readonly known: Readonly<Record<string, string>>;
  /** Number of arguments that the schema does not name, or that exceed the size of an event. */
  readonly others: number;
}
