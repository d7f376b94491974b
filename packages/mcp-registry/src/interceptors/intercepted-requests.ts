import { unlessAborted } from '@x/internal/async';
import type { CallToolOptions, JsonSchema, ToolArguments, ToolCaller, ToolCallResult } from '@x/internal/contracts';
import { canonicalJson, isRecord, isSameJson } from '@x/internal/json';
import { isToolResult } from '@x/internal/results';
import {
  type CallChanges,
  type DecisionSink,
  type InterceptedCall,
  type InterceptedRequest,
  type InterceptedResult,
  type InterceptorParts,
  isForProgram,
  type LateResult,
  type NextCall,
  type PendingPrompt,
  type PendingRead,
  type RequestResult,
  type ToolView,
} from '@x/internal/views';
import { refuseUnfit } from '../arguments/read-arguments.js';
import { type CallBounds, CallInProgress } from '../calls/call-in-progress.js';
import { invalidResult, isFinalResult } from '../calls/call-results.js';
import type { ToolEntry } from '../catalog/snapshot.js';
import { RegistryError } from '../errors.js';
import { decide, intercepted, noResult, RequestParts, refusal, Step, type StepParts } from './step.js';

export interface PendingCall {
  readonly entry: ToolEntry;
  readonly args: ToolArguments;
  readonly bounds: CallBounds;
  /** True if the source's own schema checks other arguments. */
  readonly isChecked: boolean;
  readonly onDecision: DecisionSink;
  readonly dispatch: (args: ToolArguments, options: CallToolOptions) => Promise<ToolCallResult>;
  /** The tool as callers see it now. @throws {RegistryError} `unknown-tool`. */
  readonly current: () => ToolEntry;
}

export function interceptCall(parts: InterceptorParts, pending: PendingCall): Promise<ToolCallResult> {
  const call = new CallThrough(parts, pending);
  const result = call.from(0, pending.args, pending.bounds.options);
  call.hasWaited = true;
  return call.inProgress.settle(result);
}

class CallThrough {
  readonly inProgress: CallInProgress<ToolCallResult>;
  readonly #parts: InterceptorParts;
  readonly #pending: PendingCall;
  readonly #until: number | undefined;
  readonly #isForProgram: boolean;
  readonly #signal = (): AbortSignal => this.inProgress.signal;
  readonly #finals: FinalCall[] = [];
  /** True unless everything until now ran synchronously. */
  hasWaited = false;

  constructor(parts: InterceptorParts, pending: PendingCall) {
    const { timeoutMs } = pending.bounds.options;
    this.#isForProgram = isForProgram(pending.bounds.options);
    this.#parts = parts;
    this.#pending = pending;
    this.#until = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
    this.inProgress = new CallInProgress(pending.bounds);
    this.inProgress.isUnsent = true;
  }

  from(index: number, args: ToolArguments, options: CallToolOptions): Promise<ToolCallResult> {
    const { interceptors, caller } = this.#parts;
    const interceptor = interceptors[index];
    if (interceptor === undefined) {
      try {
        return this.#dispatch(args, options);
      } catch (error) {
        return Promise.reject(error);
      }
    }
    const { onDecision } = this.#pending;
    const tool = this.#pending.entry.view;
    const parts: StepParts = { interceptor, onDecision, signal: this.#signal, subject: tool.name };
    const proceed = (changes?: CallChanges) => {
      const { args: sent = args, meta, isFinal } = changes === undefined ? NO_CHANGES : checkChanges(changes);
      if (sent !== args && !isSameJson(sent, args)) decide(parts, 'changed');
      if (isFinal) this.#finals.push({ by: interceptor.name, args: canonicalJson(sent) });
      const result = this.from(index + 1, sent, meta === undefined ? options : { ...options, meta });
      if (interceptor.result === undefined) return result;
      const { handler } = options;
      const facts = { tool, caller, isForProgram: this.#isForProgram, handler };
      return result.then((value) => changeResult(parts, value, facts));
    };
    if (interceptor.call === undefined) return proceed();
    const call = new ToolCallRequest(parts, {
      tool,
      ownInputSchema: this.#pending.entry.definition.inputSchema,
      args,
      options,
      caller,
      isForProgram: this.#isForProgram,
    });
    const hook = (next: NextCall) => interceptor.call?.(call, next);
    return new Step<ToolCallResult, CallChanges>(parts, { hook, proceed, isResult: isToolResult }).run();
  }

  #dispatch(args: ToolArguments, given: CallToolOptions): Promise<ToolCallResult> {
    const { entry, isChecked, dispatch } = this.#pending;
    const { view, definition } = entry;
    const options = () =>
      this.#until === undefined
        ? given
        : { ...given, timeoutMs: Math.max(1, Math.ceil(this.#until - performance.now())) };
    const send = () => {
      if (this.hasWaited) this.#checkAgain();
      for (const final of this.#finals) refuseOther(final, args, view);
      this.inProgress.isUnsent = false;
      return dispatch(args, options());
    };
    if (!isChecked || (args === this.#pending.args && view.inputSchema === definition.inputSchema)) return send();
    const own = { ...view, inputSchema: definition.inputSchema };
    const check = async (): Promise<ToolCallResult> => {
      const loading = tryToFit(own, args);
      this.hasWaited = true;
      return loading === undefined ? send() : loading.then(check);
    };
    return check();
  }

  /** The call may have ended, and the tool may have changed, while an interceptor waited. */
  #checkAgain(): void {
    if (this.#until !== undefined && performance.now() >= this.#until) this.inProgress.timeOver();
    this.inProgress.throwIfEnded();
    const { entry, current } = this.#pending;
    const { view, definition } = current();
    if (definition === entry.definition && view === entry.view) return;
    if (isSameJson(definition, entry.definition) && isSameJson(definedBy(view), definedBy(entry.view))) return;
    const message = `The tool ${view.name} changed before its call; call again. It was not run`;
    throw new RegistryError('refused', message, { tool: view.name });
  }
}

/** Faults of arguments that callers do not see are not for them. */
function tryToFit(own: ToolView, args: ToolArguments): Promise<void> | undefined {
  try {
    return refuseUnfit(own, args);
  } catch (cause) {
    const message = `The arguments that an interceptor set do not fit ${own.name}; it was not run`;
    throw new RegistryError('refused', message, { tool: own.name, cause });
  }
}

type CallFacts = Omit<InterceptedCall, 'signal' | 'note'>;

class ToolCallRequest extends RequestParts implements InterceptedCall {
  readonly tool: ToolView;
  readonly ownInputSchema: JsonSchema;
  readonly args: ToolArguments;
  readonly options: CallToolOptions;
  readonly caller: ToolCaller;
  readonly isForProgram: boolean;

  constructor(parts: StepParts, facts: CallFacts) {
    super(parts);
    this.tool = facts.tool;
    this.ownInputSchema = facts.ownInputSchema;
    this.args = facts.args;
    this.options = facts.options;
    this.caller = facts.caller;
    this.isForProgram = facts.isForProgram;
  }
}

interface FinalCall {
  readonly by: string;
  /** As canonical JSON: objects may change in place. */
  readonly args: string;
}

/** @throws {RegistryError} `refused`. */
function refuseOther(final: FinalCall, args: ToolArguments, { name }: ToolView): void {
  if (canonicalJson(args) === final.args) return;
  const message =
    `The arguments of ${name} changed after the interceptor "${final.by}"; put that interceptor last. ` +
    'It was not run';
  throw new RegistryError('refused', message, { tool: name });
}

function definedBy({ server, tool, title, description, inputSchema, outputSchema, annotations }: ToolView): object {
  return { server, tool, title, description, inputSchema, outputSchema, annotations };
}

const NO_CHANGES: CallChanges = Object.freeze({});

function checkChanges(changes: CallChanges): CallChanges {
  for (const [name, value] of Object.entries(changes)) {
    if (name === 'isFinal' && (value === undefined || typeof value === 'boolean')) continue;
    if (name !== 'args' && name !== 'meta') throw new TypeError(`next() takes { args, meta, isFinal }, got "${name}"`);
    if (value !== undefined && !isRecord(value)) throw new TypeError(`next() takes ${name} as an object`);
  }
  return changes;
}

type ResultFacts = Omit<InterceptedResult, 'note'>;

async function changeResult(parts: StepParts, result: ToolCallResult, facts: ResultFacts): Promise<ToolCallResult> {
  const { interceptor } = parts;
  if (interceptor.result === undefined || !isFinalResult(result)) return result;
  try {
    const changed = interceptor.result(result, intercepted(facts, parts));
    return changed === result ? result : checkChanged(parts, await changed, result);
  } catch (error) {
    throw refusal(parts, error, { mayHaveRun: true });
  }
}

function checkChanged(parts: StepParts, changed: unknown, before: ToolCallResult): ToolCallResult {
  if (!isToolResult(changed)) throw noResult(parts);
  if (changed !== before) decide(parts, 'changed');
  return changed;
}

/** The result of a task, which has no call any more. */
export async function interceptResult(
  { interceptors, caller }: InterceptorParts,
  given: unknown,
  tool: ToolView,
  { handler, onDecision }: LateResult = {},
): Promise<ToolCallResult> {
  if (interceptors.every(({ result }) => result === undefined)) return given as ToolCallResult;
  const isStructured = isRecord(given) && given.content === undefined && 'structuredContent' in given;
  const result: unknown = isStructured ? { content: [], ...given } : given;
  if (!isToolResult(result)) throw invalidResult(tool, result);
  let changed = result;
  for (const interceptor of interceptors.toReversed()) {
    const parts = { interceptor, onDecision, signal: () => undefined, subject: tool.name };
    changed = await changeResult(parts, changed, { tool, caller, isForProgram: false, handler });
  }
  return changed;
}

type Request = () => Promise<RequestResult>;

export function interceptRead(parts: InterceptorParts, pending: PendingRead, request: Request): Promise<RequestResult> {
  const { server, uri } = pending;
  return passAll(parts, { pending, subject: 'the resource', facts: { server, uri } }, request, 'read');
}

export function interceptPrompt(
  parts: InterceptorParts,
  pending: PendingPrompt,
  request: Request,
): Promise<RequestResult> {
  const { server, prompt, args } = pending;
  return passAll(parts, { pending, subject: 'the prompt', facts: { server, prompt, args } }, request, 'getPrompt');
}

interface PassedRequest<Facts> {
  readonly pending: { readonly signal: AbortSignal; readonly onDecision?: DecisionSink };
  readonly subject: string;
  readonly facts: Facts;
}

type PartHook<Facts> = (request: Facts & InterceptedRequest, next: Request) => Promise<RequestResult>;

function passAll<Name extends 'read' | 'getPrompt', Facts extends object>(
  { interceptors, caller }: InterceptorParts,
  { pending, subject, facts }: PassedRequest<Facts>,
  request: Request,
  name: Name,
): Promise<RequestResult> {
  const { signal, onDecision } = pending;
  const from = async (index: number): Promise<RequestResult> => {
    const interceptor = interceptors[index];
    if (interceptor === undefined) return request();
    const hook = interceptor[name] as PartHook<Facts> | undefined;
    const proceed = () => from(index + 1);
    if (hook === undefined) return proceed();
    const parts: StepParts = { interceptor, onDecision, signal: () => signal, subject };
    const asked = intercepted({ ...facts, caller }, parts);
    return new Step<RequestResult>(parts, {
      hook: (next) => hook.call(interceptor, asked, next),
      proceed,
      isResult: isRecord,
    }).run();
  };
  return unlessAborted(from(0), signal);
}
