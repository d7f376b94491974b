import { isRegistryError } from '../errors.js';
import type { RoleDecision } from '../roles/compile-role.js';
import type { JsonSchema, ToolCallResult } from '../source.js';
import type { ToolLookup } from '../visible-tools.js';
import { shapeOf } from './argument-shape.js';
import type { AuditEvent, AuditedRule, AuditedTool, CallAuditEvent } from './audit-event.js';
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

/** To be told how a call ended. */
export interface CallRecord {
  settled(result: ToolCallResult): void;
  failed(error: unknown): void;
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
    const startedAt = performance.now();
    // Looked at now: the tool may change its arguments. Twice at most, if looking fails.
    const look = () => ({
      ...this.#base(),
      action: 'call' as const,
      call,
      ...toAuditedTool(lookup),
      argumentShape: shapeOf(args, lookup.hidden?.view.inputSchema),
    });
    const call = this.#recorder.nextCall();
    let facts: ReturnType<typeof look> | undefined;
    const isAllowed = lookup.entry !== undefined;
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
      settled: (result) => end(() => ({ outcome: result.isError === true ? 'tool-error' : 'ok' })),
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
