import type { CallHandler, JsonSchema } from '@x/internal/contracts';
import { withoutUser } from '@x/internal/text';
import type {
  AskedPrompt,
  AskedTemplate,
  AuditedLimit,
  CallRecord,
  InterceptorDecision,
  ViewAudit,
} from '@x/internal/views';
import type {
  AuditEvent,
  CallAuditEvent,
  CompleteAuditEvent,
  PassOnAuditEvent,
  PromptAuditEvent,
  ReadAuditEvent,
  SubscribeAuditEvent,
} from './audit-event.js';
import type { AuditRecorder, AuditSink } from './audit-recorder.js';
import {
  type CalledTool,
  cut,
  nameOf,
  outcomeOf,
  type PartLookup,
  toArgumentShape,
  toAuditedPart,
  toAuditedTool,
} from './audited-facts.js';

type AttemptEvent =
  | CallAuditEvent
  | ReadAuditEvent
  | PromptAuditEvent
  | CompleteAuditEvent
  | SubscribeAuditEvent
  | PassOnAuditEvent;

interface Actor {
  readonly role?: string | undefined;
  readonly principal?: string | undefined;
}

interface ListCounts {
  readonly shown: number;
  readonly hidden: number;
}

export class AuditTrail implements ViewAudit {
  readonly #recorder: AuditRecorder;
  readonly #actor: () => Actor;
  readonly #further: AuditSink | undefined;

  /**
   * @param actor - Read for each event, because the default role may change.
   * @param further - Receives the events, too.
   */
  constructor(recorder: AuditRecorder, actor: () => Actor, further?: AuditSink) {
    this.#recorder = recorder;
    this.#actor = actor;
    this.#further = further;
  }

  listed({ shown, hidden }: ListCounts): void {
    this.#record(() => ({ ...this.#base(), action: 'list', decision: 'allowed', shown, hidden }));
  }

  searched(request: unknown, schema: JsonSchema, { shown, hidden }: ListCounts): void {
    this.#record(() => {
      const argumentShape = toArgumentShape(request, schema);
      return { ...this.#base(), action: 'search', decision: 'allowed', shown, hidden, argumentShape };
    });
  }

  described(lookup: CalledTool): void {
    this.#record(() => ({ ...this.#base(), action: 'describe', ...toAuditedTool(lookup) }));
  }

  /**
   * @param limit - The limit that refused an allowed call.
   * @returns Receives the outcome; `undefined` if refused.
   */
  called(
    lookup: CalledTool,
    args: unknown,
    limit?: AuditedLimit,
    client?: CallHandler['clientInfo'],
  ): CallRecord | undefined {
    const toFacts = (call: number): CallAuditEvent => ({
      ...this.#base(),
      action: 'call',
      call,
      ...(client && { client: cut(`${client.name} ${client.version}`) }),
      ...toAuditedTool(lookup),
      argumentShape: toArgumentShape(args, lookup.hidden?.view.inputSchema),
    });
    return this.#recordAttempt(toFacts, lookup.entry !== undefined, limit);
  }

  read(uri: string, lookup: PartLookup, limit?: AuditedLimit): CallRecord | undefined {
    const toFacts = (call: number): ReadAuditEvent => ({
      ...this.#base(),
      action: 'read',
      call,
      uri: cut(withoutUser(uri)),
      ...toAuditedPart(lookup),
    });
    return this.#recordAttempt(toFacts, lookup.decision?.isAllowed === true, limit);
  }

  gotPrompt(
    { name, args, argumentNames }: AskedPrompt,
    lookup: PartLookup,
    limit?: AuditedLimit,
  ): CallRecord | undefined {
    const toFacts = (call: number): PromptAuditEvent => ({
      ...this.#base(),
      action: 'get-prompt',
      call,
      name: cut(name),
      ...(lookup.key !== undefined && { prompt: cut(lookup.key) }),
      ...toAuditedPart(lookup),
      argumentShape: toArgumentShape(args, schemaOf(argumentNames)),
    });
    return this.#recordAttempt(toFacts, lookup.decision?.isAllowed === true, limit);
  }

  /**
   * @param asked - The prompt or template, with known arguments.
   * @returns As `called`.
   */
  completed(request: AskedPrompt | AskedTemplate, lookup: PartLookup, limit?: AuditedLimit): CallRecord | undefined {
    const toFacts = (call: number): CompleteAuditEvent => ({
      ...this.#base(),
      action: 'complete',
      call,
      ...('uri' in request ? { uri: cut(withoutUser(request.uri)) } : { name: cut(request.name) }),
      ...('name' in request && lookup.key !== undefined && { prompt: cut(lookup.key) }),
      ...toAuditedPart(lookup),
      argumentShape: toArgumentShape(request.args, schemaOf('name' in request ? request.argumentNames : [])),
    });
    return this.#recordAttempt(toFacts, lookup.decision?.isAllowed === true, limit);
  }

  subscribed(uri: string, lookup: PartLookup, limit?: AuditedLimit): CallRecord | undefined {
    const toFacts = (call: number): SubscribeAuditEvent => ({
      ...this.#base(),
      action: 'subscribe',
      call,
      uri: cut(withoutUser(uri)),
      ...toAuditedPart(lookup),
    });
    return this.#recordAttempt(toFacts, lookup.decision?.isAllowed === true, limit);
  }

  /**
   * @param lookup - Its `key` is the task's tool.
   * @returns As `called`.
   */
  passedOn(method: string, lookup: PartLookup, limit?: AuditedLimit): CallRecord | undefined {
    const toFacts = (call: number): PassOnAuditEvent => ({
      ...this.#base(),
      action: 'pass-on',
      call,
      method: cut(method),
      ...(lookup.key !== undefined && { tool: cut(lookup.key) }),
      ...toAuditedPart(lookup),
    });
    return this.#recordAttempt(toFacts, lookup.decision?.isAllowed === true, limit);
  }

  #recordAttempt<Facts extends AttemptEvent>(
    factsFor: (call: number) => Facts,
    mayUse: boolean,
    limit?: AuditedLimit,
  ): CallRecord | undefined {
    const startedAt = performance.now();
    const call = this.#recorder.nextCall();
    const isAllowed = mayUse && limit === undefined;
    // Computed before the call, because the tool may change its arguments.
    const toFacts = () => (limit === undefined ? factsFor(call) : limited(factsFor(call), limit));
    let facts: Facts | undefined;
    this.#record(() => {
      facts = toFacts();
      return isAllowed ? { ...facts, outcome: 'started' } : facts;
    });
    if (!isAllowed) return undefined;

    // Computed while recording, because results and errors may have getters that throw.
    const end = (toEnding: () => Pick<CallAuditEvent, 'outcome' | 'error'>) => {
      const durationMs = Math.round(performance.now() - startedAt);
      this.#record(() => ({
        ...(facts ?? toFacts()),
        ...toEnding(),
        time: now(),
        durationMs,
        ...(interceptors.length > 0 && { interceptors }),
      }));
    };
    const interceptors: InterceptorDecision[] = [];
    return {
      decided: (decision) => void (interceptors.length < MAX_DECISIONS && interceptors.push(cutNote(decision))),
      settled: (result) => end(() => ({ outcome: outcomeOf(result) })),
      failed: (error) => end(() => ({ outcome: 'failed', error: nameOf(error) })),
    };
  }

  #base() {
    const { role, principal } = this.#actor();
    return {
      time: now(),
      ...(role === undefined ? {} : { role: cut(role) }),
      ...(principal === undefined ? {} : { principal: cut(principal) }),
    };
  }

  #record(make: () => AuditEvent): void {
    this.#recorder.record(make, this.#further);
  }
}

const MAX_DECISIONS = 32;

function cutNote({ interceptor, decision, note }: InterceptorDecision): InterceptorDecision {
  return { interceptor: cut(interceptor), decision, ...(note !== undefined && { note: cut(note) }) };
}

/** Omits the rule, which allows the request. */
function limited<Facts extends AttemptEvent>(facts: Facts, reason: AuditedLimit): Facts {
  const { rule: _, ...rest } = facts;
  return { ...rest, decision: 'denied', reason } as Facts;
}

function schemaOf(argumentNames: readonly string[]): JsonSchema {
  return { properties: Object.fromEntries(argumentNames.map((argument) => [argument, {}])) };
}

function now(): string {
  return new Date().toISOString();
}
