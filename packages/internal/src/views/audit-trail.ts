import type { CallHandler } from '../contracts.js';
import type { ToolView } from './tool-view.js';

/** Policies that may refuse a request which the role allows. */
export type AuditedLimit = 'rate-limited';

/** Decision of an interceptor about a request. `noted`: it added a note only. */
export interface InterceptorDecision {
  readonly interceptor: string;
  readonly decision: 'changed' | 'answered' | 'refused' | 'noted';
  readonly note?: string | undefined;
}

export interface CallRecord {
  decided(decision: InterceptorDecision): void;
  settled(result: Readonly<Record<string, unknown>>): void;
  failed(error: unknown): void;
}

interface Decision {
  readonly isAllowed: boolean;
}

export interface CalledTool {
  /** As requested. */
  readonly name: string;
  readonly decision: Decision;
  readonly hidden: { readonly view: ToolView } | undefined;
  /** Same as `hidden` if it may be seen. */
  readonly entry: { readonly view: ToolView } | undefined;
}

export interface PartLookup {
  readonly server?: string | undefined;
  /** The server's own name for it. */
  readonly key?: string | undefined;
  readonly decision?: Decision | undefined;
}

export interface AskedPrompt {
  /** As requested. */
  readonly name: string;
  readonly args: unknown;
  readonly argumentNames: readonly string[];
}

/** A resource template, whose arguments have no schema. */
export interface AskedTemplate {
  readonly uri: string;
  readonly args: unknown;
}

/**
 * Records requests beside the view's own calls. Each method returns a receiver of the outcome, unless the request was
 * refused. `limit`: the policy that refused an allowed request.
 */
export interface ViewAudit {
  called(
    lookup: CalledTool,
    args: unknown,
    limit?: AuditedLimit,
    client?: CallHandler['clientInfo'],
  ): CallRecord | undefined;
  read(uri: string, lookup: PartLookup, limit?: AuditedLimit): CallRecord | undefined;
  gotPrompt(asked: AskedPrompt, lookup: PartLookup, limit?: AuditedLimit): CallRecord | undefined;
  completed(asked: AskedPrompt | AskedTemplate, lookup: PartLookup, limit?: AuditedLimit): CallRecord | undefined;
  subscribed(uri: string, lookup: PartLookup, limit?: AuditedLimit): CallRecord | undefined;
  passedOn(method: string, lookup: PartLookup, limit?: AuditedLimit): CallRecord | undefined;
}

/** Receives what interceptors decide, for the audit event. */
export type DecisionSink = ((decision: InterceptorDecision) => void) | undefined;

export function decisionSink(record: CallRecord | undefined): DecisionSink {
  return record && ((decision) => record.decided(decision));
}

export async function recordCall<Result extends object>(
  call: () => Promise<Result>,
  record: CallRecord | undefined,
): Promise<Result> {
  try {
    const result = await call();
    record?.settled(result as Readonly<Record<string, unknown>>);
    return result;
  } catch (error) {
    record?.failed(error);
    throw error;
  }
}
