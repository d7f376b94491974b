import { isTaskResult } from '../catalog/native-result.js';
import { isRegistryError } from '../errors.js';
import type { RoleDecision } from '../roles/compile-role.js';
import type { JsonSchema } from '../source.js';
import type { ToolLookup } from '../visible-tools.js';
import { shapeOf } from './argument-shape.js';
import type {
  AuditEvent,
  AuditedPart,
  AuditedRule,
  AuditedTool,
  AuditOutcome,
  CallAuditEvent,
  PromptAuditEvent,
  ReadAuditEvent,
} from './audit-event.js';
import type { AuditRecorder } from './audit-recorder.js';

const MAX_TEXT_LENGTH = 200;

/** Who asks. */
export interface Actor {
  readonly role?: string | undefined;
  readonly principal?: string | undefined;
}

export interface ListCounts {
  readonly shown: number;
  readonly hidden: number;
}

/** To be told how a call, a read or a prompt ended. */
export interface CallRecord {
  settled(result: Readonly<Record<string, unknown>>): void;
  failed(error: unknown): void;
}

/** A resource or prompt that was asked for, and what decides about it. */
export interface PartLookup {
  /** Left out when there is none. */
  readonly server?: string | undefined;
  /** The server's own name for it. */
  readonly key?: string | undefined;
  readonly decision?: RoleDecision | undefined;
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

/** Records what one actor asks for, and what is decided. */
export class AuditTrail {
  readonly #recorder: AuditRecorder;
  readonly #actor: Actor;

  constructor(recorder: AuditRecorder, { role, principal }: Actor) {
    this.#recorder = recorder;
    this.#actor = {
      ...(role === undefined ? {} : { role: cut(role) }),
      ...(principal === undefined ? {} : { principal: cut(principal) }),
    };
  }

  listed({ shown, hidden }: ListCounts): void {
    this.#record(() => ({ ...this.#base(), action: 'list', decision: 'allowed', shown, hidden }));
  }

  searched(request: unknown, schema: JsonSchema, { shown, hidden }: ListCounts): void {
    this.#record(() => {
      const argumentShape = shapeOf(request, schema);
      return { ...this.#base(), action: 'search', decision: 'allowed', shown, hidden, argumentShape };
    });
  }

  described(lookup: ToolLookup): void {
    this.#record(() => ({ ...this.#base(), action: 'describe', ...toAuditedTool(lookup) }));
  }

  /** @returns What is to be told how the call ended, unless it was refused. */
  called(lookup: ToolLookup, args: unknown): CallRecord | undefined {
    const look = (call: number): CallAuditEvent => ({
      ...this.#base(),
      action: 'call',
      call,
      ...toAuditedTool(lookup),
      argumentShape: shapeOf(args, lookup.hidden?.view.inputSchema),
    });
    return this.#attempted(look, lookup.entry !== undefined);
  }

  /** @returns As `called`. */
  read(uri: string, lookup: PartLookup): CallRecord | undefined {
    const look = (call: number): ReadAuditEvent => ({
      ...this.#base(),
      action: 'read',
      call,
      uri: cut(withoutUser(uri)),
      ...toAuditedPart(lookup),
    });
    return this.#attempted(look, lookup.decision?.isAllowed === true);
  }

  /**
   * @param argumentNames - Those that the prompt has.
   * @returns As `called`.
   */
  gotPrompt(name: string, args: unknown, argumentNames: readonly string[], lookup: PartLookup): CallRecord | undefined {
    const properties = Object.fromEntries(argumentNames.map((argument) => [argument, {}]));
    const look = (call: number): PromptAuditEvent => ({
      ...this.#base(),
      action: 'get-prompt',
      call,
      name: cut(name),
      ...(lookup.key !== undefined && { prompt: cut(lookup.key) }),
      ...toAuditedPart(lookup),
      argumentShape: shapeOf(args, { properties }),
    });
    return this.#attempted(look, lookup.decision?.isAllowed === true);
  }

  #attempted<Facts extends CallAuditEvent | ReadAuditEvent | PromptAuditEvent>(
    lookAt: (call: number) => Facts,
    isAllowed: boolean,
  ): CallRecord | undefined {
    const startedAt = performance.now();
    const call = this.#recorder.nextCall();
    // Looked at now: the tool may change its arguments. Twice at most, if looking fails.
    const look = () => lookAt(call);
    let facts: Facts | undefined;
    this.#record(() => {
      facts = look();
      return isAllowed ? { ...facts, outcome: 'started' } : facts;
    });
    if (!isAllowed) return undefined;

    // Looked at while recording: results and errors of in-process sources may have getters that throw.
    const end = (howItEnded: () => Pick<CallAuditEvent, 'outcome' | 'error'>) => {
      const durationMs = Math.round(performance.now() - startedAt);
      this.#record(() => ({ ...(facts ?? look()), ...howItEnded(), time: now(), durationMs }));
    };
    return {
      settled: (result) => end(() => ({ outcome: outcomeOf(result) })),
      failed: (error) => end(() => ({ outcome: 'failed', error: nameOf(error) })),
    };
  }

  #base() {
    return { time: now(), ...this.#actor };
  }

  #record(make: () => AuditEvent): void {
    this.#recorder.record(make);
  }
}

function now(): string {
  return new Date().toISOString();
}

function toAuditedTool({ name, entry, hidden, decision }: ToolLookup): AuditedTool {
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

function toAuditedPart({ server, decision }: PartLookup): AuditedPart {
  if (server === undefined || decision === undefined) return { decision: 'unknown' };
  const rule = toAuditedRule(decision);
  return {
    server: cut(server),
    decision: decision.isAllowed ? 'allowed' : 'denied',
    ...(rule === undefined ? {} : { rule }),
  };
}

function outcomeOf(result: Readonly<Record<string, unknown>>): AuditOutcome {
  if (result.resultType === 'input_required') return 'input-required';
  if (isTaskResult(result)) return 'task';
  return result.isError === true ? 'tool-error' : 'ok';
}

/** URIs may name a user, and a password with them. */
function withoutUser(uri: string): string {
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

/** What may stand in for an error: its message may hold values, and so may any text that is no plain word. */
function nameOf(error: unknown): string {
  if (isRegistryError(error)) return error.code;
  if (!(error instanceof Error)) return 'unknown';
  const { code, name } = error as { readonly code?: unknown; readonly name: unknown };
  const word = [code, name].find((text) => typeof text === 'string' && /^[\w-]{1,64}$/.test(text));
  return (word as string | undefined) ?? 'unknown';
}

function cut(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}
