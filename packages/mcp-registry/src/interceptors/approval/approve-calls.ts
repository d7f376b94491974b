import { unlessAborted } from '@x/internal/async';
import type { ToolArguments, ToolCaller, ToolCallResult } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import { canonicalJson, copyJson, isRecord } from '@x/internal/json';
import { optionTable } from '@x/internal/options';
import { type InterceptedCall, type Interceptor, type NextCall, passedOn } from '@x/internal/views';
import { isRegistryError, RegistryError } from '../../errors.js';
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type AskApproval,
  approvalRequest,
  bindingOf,
} from './approval-request.js';
import { type ApprovalRules, type CompiledApprovalRules, compileApprovalRules } from './approval-rules.js';
import { askByElicitation } from './ask-by-elicitation.js';
import { type ApprovalAsking, askingOptions, waysOf } from './asking.js';
import { ContinuedCalls } from './continued-calls.js';

/** Options of `approveCalls`. */
export interface ApprovalOptions extends ApprovalAsking {
  /** Which calls need approval. A function is read for each call. Default: calls of all tools. */
  readonly rules?: ApprovalRules | ((caller: ToolCaller) => ApprovalRules) | undefined;
}

const approvalOptions = optionTable<ApprovalOptions>()({
  ...askingOptions,
  rules: { kind: 'other' },
});

/** Limits for one interceptor, so that questions neither fill memory nor bury those of others. */
const MAX_WAITING = 100;
const MAX_WAITING_PER_CALLER = 16;

/**
 * Asks before a call runs. Each approval is for one call: of this server, tool, definition, arguments, caller and
 * rules. A call without an approval in time is refused. Belongs last in `interceptors`: later changes refuse the call.
 *
 * @throws {TypeError} naming the invalid option.
 */
export function approveCalls(options: ApprovalOptions): Interceptor {
  const { ask, rules, timeoutMs } = approvalOptions.read(options);
  const ways = waysOf(ask).map((way) => (way === 'elicitation' ? askByElicitation : way)) as readonly AskApproval[];
  const gate = new ApprovalGate({ ways, timeoutMs, rules: rulesFrom(rules) });
  return {
    name: 'approve-calls',
    call: (call, next) => (gate.needsApproval(call) ? gate.pass(call, next) : next()),
  };
}

type RulesOf = (caller: ToolCaller) => CompiledApprovalRules;

function rulesFrom(given: ApprovalOptions['rules']): RulesOf {
  if (typeof given !== 'function') {
    const compiled = compileApprovalRules(given);
    return () => compiled;
  }
  const compiled = new WeakMap<ApprovalRules, CompiledApprovalRules>();
  return (caller) => {
    const from = given(caller);
    const known = compiled.get(from) ?? compileApprovalRules(from);
    if (from !== undefined) compiled.set(from, known);
    return known;
  };
}

interface GateParts {
  readonly ways: readonly AskApproval[];
  readonly timeoutMs: number;
  readonly rules: RulesOf;
}

interface Answered {
  readonly way: AskApproval;
  readonly answer: ApprovalAnswer;
}

/** What the client's user approved, by the arguments that the next interceptor receives. */
const approvedByUser = new WeakMap<ToolArguments, string>();

class ApprovalGate {
  readonly #parts: GateParts;
  readonly #continued = new ContinuedCalls();
  /** Callers of the calls that wait. */
  readonly #waiting: string[] = [];

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  needsApproval({ tool, caller }: InterceptedCall): boolean {
    return this.#parts.rules(caller).needsApproval(tool);
  }

  async pass(call: InterceptedCall, next: NextCall): Promise<ToolCallResult> {
    const { tool, options, note, caller } = call;
    const args = copyOf(call); // the caller may change its own during the question
    const { rules } = this.#parts.rules(caller);
    const digest = bindingOf(call, args, rules);
    const { requestState, inputResponses } = passedOn(options)?.params ?? {};
    if (requestState !== undefined || inputResponses !== undefined) {
      if (!this.#continued.take(digest, requestState)) {
        const advice = 'make the call again without requestState and inputResponses';
        throw refused(tool.name, `continues none that was approved; ${advice}`);
      }
      note('continues an approved call');
    } else if (this.#isApprovedByUser(call, args)) {
      note("approved before, by the client's user");
    } else {
      const { timeoutMs } = this.#parts;
      const answered = await this.#ask(approvalRequest(call, { args, digest, policy: rules.policy, timeoutMs }), call);
      if (bindingOf(call, args, this.#parts.rules(caller).rules) !== digest) {
        throw refused(tool.name, 'was approved by rules that have changed since; call again');
      }
      if (answered === askByElicitation) approvedByUser.set(args, bindingOf(call, args, {}));
    }
    const result = await next({ args, isFinal: true });
    if (result.resultType === 'input_required') this.#continued.add(digest, result.requestState);
    return result;
  }

  /** True if this user said yes to this call when an earlier interceptor asked. */
  #isApprovedByUser(call: InterceptedCall, args: ToolArguments): boolean {
    const approved = approvedByUser.get(call.args);
    return this.#parts.ways[0] === askByElicitation && approved !== undefined && approved === bindingOf(call, args, {});
  }

  /** Returns the way that approved the call. */
  async #ask(request: ApprovalRequest, call: InterceptedCall): Promise<AskApproval> {
    const { name } = request;
    const { note, options } = call;
    const leave = this.#occupy(name, call);
    const limit = timeLimit(call.signal, this.#parts.timeoutMs);
    let answered: Answered | undefined;
    try {
      answered = await this.#firstAnswer(request, { signal: limit.signal, options });
    } catch (error) {
      call.signal.throwIfAborted();
      if (limit.signal.aborted) {
        note(`no answer to ${request.id} in time`);
        throw refused(name, `was not approved within ${this.#parts.timeoutMs} milliseconds; call again to ask again`);
      }
      throw isRegistryError(error) ? error : refused(name, 'needs an approval, and asking for it failed', error);
    } finally {
      limit.end();
      leave();
    }
    if (answered === undefined && !request.isWhole) {
      const advice = 'shorten its arguments, or let its operator add a queue or function to approve calls';
      throw refused(name, `needs an approval, and is too long to be shown whole to a person; ${advice}`);
    }
    if (answered === undefined) {
      const advice = 'use a client that supports elicitation, or let its operator add a way to approve calls';
      throw refused(name, `needs an approval, and there is no way to ask for it; ${advice}`);
    }
    const { decision, by = 'a program', reason } = answered.answer;
    note(`${decision === 'approve' ? 'approved' : 'denied'} by ${by}: ${request.digest}`);
    if (decision === 'approve') return answered.way;
    throw refused(name, `was denied${reason === undefined ? '' : `: ${reason}`}`);
  }

  async #firstAnswer(request: ApprovalRequest, context: Parameters<AskApproval>[1]): Promise<Answered | undefined> {
    for (const way of this.#parts.ways) {
      const answer = await unlessAborted(way(request, context), context.signal);
      if (answer !== undefined) return { way, answer: checkAnswer(answer) };
    }
    return undefined;
  }

  /** Returns the end of the wait. */
  #occupy(name: string, { caller }: InterceptedCall): () => void {
    const who = canonicalJson([caller.role, caller.principal]);
    const ofCaller = this.#waiting.filter((each) => each === who).length;
    if (this.#waiting.length >= MAX_WAITING || ofCaller >= MAX_WAITING_PER_CALLER) {
      throw refused(name, 'needs an approval, and too many calls wait for theirs; call again later');
    }
    this.#waiting.push(who);
    return () => void this.#waiting.splice(this.#waiting.indexOf(who), 1);
  }
}

function copyOf({ tool, args }: InterceptedCall): ToolArguments {
  try {
    return copyJson(args) as ToolArguments;
  } catch (error) {
    throw refused(tool.name, `needs an approval, and its arguments cannot be shown: the value ${messageOf(error)}`);
  }
}

function checkAnswer(answer: unknown): ApprovalAnswer {
  const { decision, by, reason } = isRecord(answer) ? answer : {};
  const isText = (value: unknown) => value === undefined || typeof value === 'string';
  if ((decision === 'approve' || decision === 'deny') && isText(by) && isText(reason)) return answer as ApprovalAnswer;
  throw new TypeError('ask() must return { decision: "approve" or "deny", by, reason }, or undefined if it cannot ask');
}

function timeLimit(outer: AbortSignal, ms: number) {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error('The request has expired')), ms);
  const cancel = (): void => limit.abort(outer.reason);
  if (outer.aborted) cancel();
  outer.addEventListener('abort', cancel);
  const end = (): void => {
    clearTimeout(timer);
    outer.removeEventListener('abort', cancel);
  };
  return { signal: limit.signal, end };
}

function refused(tool: string, fact: string, cause?: unknown): RegistryError {
  const message = `The call of ${tool} ${fact}. It was not run`;
  return new RegistryError('refused', message, { tool, ...(cause !== undefined && { cause }) });
}
