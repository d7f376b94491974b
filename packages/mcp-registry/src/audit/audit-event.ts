import type { AuditedLimit, InterceptorDecision } from '@x/internal/views';
import type { RulePlace } from '../catalog/diagnostics.js';

/**
 * A request to the registry, and the decision, as plain JSON without argument values and results. External texts are
 * cut, so an event has a few kilobytes at most.
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
  /** Absent for a view of everything. */
  readonly role?: string | undefined;
  /** `ViewOptions.principal`. */
  readonly principal?: string | undefined;
}

/** The tools of a view were listed. */
export interface ListAuditEvent extends AuditEventBase {
  readonly action: 'list';
  readonly decision: 'allowed';
  readonly shown: number;
  readonly hidden: number;
}

/** The tools of a view were searched. */
export interface SearchAuditEvent extends AuditEventBase {
  readonly action: 'search';
  readonly decision: 'allowed';
  readonly shown: number;
  readonly hidden: number;
  readonly argumentShape: ArgumentShape;
}

/** A tool was requested by its name. */
export interface DescribeAuditEvent extends AuditEventBase, AuditedTool {
  readonly action: 'describe';
}

/** One event for a refused request, two for an allowed one: `started`, and its outcome. */
export interface AuditedAttempt {
  /** Number of the request, counted by each registry from 1. Common to both events. */
  readonly call: number;
  /** With `denied`: the exceeded limit of the gateway. */
  readonly reason?: AuditedLimit | undefined;
  readonly outcome?: AuditOutcome | undefined;
  /** With `failed`: code or name of the error. */
  readonly error?: string | undefined;
  readonly durationMs?: number | undefined;
  /** With an outcome: decisions of interceptors, at most 32 with notes of at most 200 characters. */
  readonly interceptors?: readonly InterceptorDecision[] | undefined;
}

/**
 * `tool-error`: the result has `isError`. `failed`: there is no result. `input-required`: the client must repeat the
 * request with input. `task`: the call continues as a task.
 */
export type AuditOutcome = 'started' | 'ok' | 'tool-error' | 'failed' | 'input-required' | 'task';

/** A tool call, allowed or refused. */
export interface CallAuditEvent extends AuditEventBase, AuditedTool, AuditedAttempt {
  readonly action: 'call';
  /** Name and version of the gateway's client, as it gave them; absent if unknown. */
  readonly client?: string | undefined;
  readonly argumentShape: ArgumentShape;
}

/** A resource was read through a gateway. */
export interface ReadAuditEvent extends AuditEventBase, AuditedPart, AuditedAttempt {
  readonly action: 'read';
  /** Without user and password. */
  readonly uri: string;
}

/** A prompt was requested through a gateway. */
export interface PromptAuditEvent extends AuditEventBase, AuditedPart, AuditedAttempt {
  readonly action: 'get-prompt';
  readonly name: string;
  /** The server's own name of the prompt; absent if unknown. */
  readonly prompt?: string | undefined;
  readonly argumentShape: ArgumentShape;
}

/** An argument of a prompt or resource template was completed through a gateway. */
export interface CompleteAuditEvent extends AuditEventBase, AuditedPart, AuditedAttempt {
  readonly action: 'complete';
  /** URI of the template, without user and password; absent for a prompt. */
  readonly uri?: string | undefined;
  /** Requested name of the prompt; absent for a template. */
  readonly name?: string | undefined;
  /** The server's own name of the prompt; absent if unknown. */
  readonly prompt?: string | undefined;
  readonly argumentShape: ArgumentShape;
}

/** A resource was subscribed to through a gateway. */
export interface SubscribeAuditEvent extends AuditEventBase, AuditedPart, AuditedAttempt {
  readonly action: 'subscribe';
  /** Without user and password. */
  readonly uri: string;
}

/** A gateway passed on a message: a request about a task, or a method that only the server knows. */
export interface PassOnAuditEvent extends AuditEventBase, AuditedPart, AuditedAttempt {
  readonly action: 'pass-on';
  /** Method of the request or notification. A notification ends as `ok` once it was sent. */
  readonly method: string;
  /** Own name of the tool that started the task; absent without a task. */
  readonly tool?: string | undefined;
}

/** The decision about a resource or a prompt. */
export interface AuditedPart {
  readonly server?: string | undefined;
  readonly decision: AuditDecision;
  readonly rule?: AuditedRule | undefined;
}

/**
 * `denied`: it exists, but the role may not use it, or a limit in `reason` was exceeded. Without rights the requester's
 * response is the same as for `unknown`.
 */
export type AuditDecision = 'allowed' | 'denied' | 'unknown';

/** The decision about a tool. */
export interface AuditedTool {
  readonly name: string;
  /** Absent for a native tool and for `unknown`. */
  readonly server?: string | undefined;
  /** The tool's own name; absent for `unknown`. */
  readonly tool?: string | undefined;
  readonly decision: AuditDecision;
  /** Absent without a role and for `unknown`. */
  readonly rule?: AuditedRule | undefined;
}

/** The deciding rule. */
export interface AuditedRule {
  /** May be an inherited role. */
  readonly role: string;
  /** The pattern that allowed or denied. */
  readonly pattern?: string | undefined;
  /** Reason of a denial. */
  readonly reason?: string | undefined;
  readonly source?: RulePlace | undefined;
}

/** Names, types and sizes of arguments. */
export interface ArgumentShape {
  /**
   * Type by name: `string(12)` counts UTF-16 code units, `array(3)` items, `object(2)` keys; `number`, `boolean`,
   * `null`.
   */
  readonly known: Readonly<Record<string, string>>;
  /** Number of arguments that the schema does not name, or that exceed the size of an event. */
  readonly others: number;
}
