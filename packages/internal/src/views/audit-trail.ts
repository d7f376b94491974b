import type { ToolView } from './tool-view.js';

/** What may refuse something that a role may use. */
export type AuditedLimit = 'rate-limited';

/** Receives how a call, a read or a prompt ended. */
export interface CallRecord {
  settled(result: Readonly<Record<string, unknown>>): void;
  failed(error: unknown): void;
}

/** A decision of a policy, as the policy gave it. */
interface Decision {
  readonly isAllowed: boolean;
}

/** The tool that a call is of, and what decides about it. */
export interface CalledTool {
  /** As it was asked for. */
  readonly name: string;
  readonly decision: Decision;
  readonly hidden: { readonly view: ToolView } | undefined;
  /** The same as `hidden` if it may be seen. */
  readonly entry: { readonly view: ToolView } | undefined;
}

/** A resource or prompt that was asked for, and what decides about it. */
export interface PartLookup {
  /** Left out when there is none. */
  readonly server?: string | undefined;
  /** The server's own name for it. */
  readonly key?: string | undefined;
  readonly decision?: Decision | undefined;
}

/** A prompt, and its arguments. */
export interface AskedPrompt {
  /** As it was asked for. */
  readonly name: string;
  readonly args: unknown;
  /** Those that the prompt has. */
  readonly argumentNames: readonly string[];
}

/** A template of resources, whose arguments nobody has described. */
export interface AskedTemplate {
  readonly uri: string;
  readonly args: unknown;
}

/**
 * Records what is asked through a view beside the calls that the view runs itself. Each method returns what receives the
 * end, unless the request was refused; `limit` is what refused something that may be used.
 */
export interface ViewAudit {
  called(lookup: CalledTool, args: unknown, limit?: AuditedLimit): CallRecord | undefined;
  read(uri: string, lookup: PartLookup, limit?: AuditedLimit): CallRecord | undefined;
  gotPrompt(asked: AskedPrompt, lookup: PartLookup, limit?: AuditedLimit): CallRecord | undefined;
  completed(asked: AskedPrompt | AskedTemplate, lookup: PartLookup, limit?: AuditedLimit): CallRecord | undefined;
  subscribed(uri: string, lookup: PartLookup, limit?: AuditedLimit): CallRecord | undefined;
  passedOn(method: string, lookup: PartLookup, limit?: AuditedLimit): CallRecord | undefined;
}

/** Runs what was recorded as begun, and records how it ends. */
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
