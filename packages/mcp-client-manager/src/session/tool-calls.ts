import { isRecord } from '@x/internal/json';
import type { Redact } from '../redaction.js';
import { type ExchangeContext, exchangePart } from './exchange.js';
import type { InFlightRequest } from './in-flight.js';
import type { Params, RawResult } from './json-rpc.js';
import type { OutputCheck } from './output-check.js';
import { outputCheckCode } from './output-check-code.js';
import { paramHeaders, wantsHeaders } from './param-headers.js';
import { passProgress } from './progress.js';
import type { OutgoingRequest, ServerTool, SessionFacts } from './session.js';
import { readToolResult } from './tool-result.js';
import { callAsTask, needsTask } from './tool-task.js';

export interface ToolCallsOptions {
  readonly server: string;
  readonly facts: SessionFacts;
  readonly validateOutput: boolean;
  /** Goes over what the server says in errors. */
  readonly redact: Redact;
  /** Whether arguments are repeated as HTTP headers where a tool asks for that. */
  readonly repeatsArguments: boolean;
}

/** What the tools of one server ask of their calls, by the list that came last. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  /** Present from the first list on that has an output schema. */
  #output: OutputCheck | undefined;
  /** Tools that can be called as tasks only. */
  #tasks: ReadonlySet<string> = new Set();
  /** Tools some of whose arguments have to be repeated as HTTP headers, with what says which. */
  #mirrored: ReadonlyMap<string, ServerTool['inputSchema']> = new Map();

  constructor(options: ToolCallsOptions) {
    this.#options = options;
  }

  get outputProblems(): readonly string[] {
    return this.#output?.problems ?? [];
  }

  async learn(tools: readonly ServerTool[]): Promise<void> {
    const { facts, repeatsArguments, validateOutput } = this.#options;
    const mirrored = repeatsArguments ? tools.filter(({ inputSchema }) => wantsHeaders(inputSchema)) : [];
    this.#tasks = new Set(tools.filter((tool) => needsTask(tool, facts)).map(({ name }) => name));
    this.#mirrored = new Map(mirrored.map(({ name, inputSchema }) => [name, inputSchema]));
    if (!validateOutput || (!this.#output && tools.every(({ outputSchema }) => !isRecord(outputSchema)))) return;
    const { OutputCheck } = await outputCheckCode();
    this.#output ??= new OutputCheck(this.#options);
    this.#output.learn(tools);
  }

  headersOf({ name, arguments: args }: Params): Readonly<Record<string, string>> | undefined {
    const inputSchema = this.#mirrored.size > 0 ? this.#mirrored.get(String(name)) : undefined;
    return inputSchema && paramHeaders(inputSchema, args);
  }

  /**
   * The result of a call as its caller gets it. What is no final result passes unchanged to callers that have said something
   * which may lead to one.
   *
   * @throws {ManagerError} `server-error`, or `invalid-result`.
   */
  read(request: OutgoingRequest, raw: RawResult): RawResult {
    if (isUnfinished(raw) && mayBeUnfinished(request)) return raw;
    const tool = String(request.params.name);
    const result = readToolResult(raw, { server: this.#options.server, tool });
    this.#output?.check(tool, result);
    return result;
  }

  /** Whether the call has to be made as a task. */
  needsTask({ name, task }: Params): boolean {
    return this.#tasks.size > 0 && task === undefined && this.#tasks.has(String(name));
  }

  /** Makes a call as a task. */
  async callAsTask(
    request: OutgoingRequest,
    { signal, host }: InFlightRequest,
    context: ExchangeContext,
  ): Promise<RawResult> {
    const { server, redact } = this.#options;
    const { peer } = context;
    const { params, meta, what } = request;
    // The token stays valid for as long as the task lives, which is longer than the request that makes it.
    const listening = request.wantsProgress
      ? peer.listenToProgress((progress) => passProgress(progress, request))
      : undefined;
    const token = listening && { progressToken: listening.token };
    const _meta = { ...(params._meta as Params | undefined), ...meta, ...token };
    const whole = { ...params, ...(Object.keys(_meta).length > 0 && { _meta }) };
    const send = (method: string, each: Params, until: AbortSignal): Promise<RawResult> =>
      exchangePart(context, { method, params: each, signal: until, what, host });
    try {
      const tool = String(params.name);
      return await callAsTask({ server, tool, params: whole, signal, ended: peer.ended, redact, send });
    } finally {
      listening?.stop();
    }
  }
}

/** What a server may answer that is no result of the tool yet: what it needs first, or a task to follow. */
function isUnfinished({ resultType, task, content }: RawResult): boolean {
  if (resultType === 'input_required' || resultType === 'task') return true;
  return isRecord(task) && content === undefined;
}

function mayBeUnfinished({ params, inputRequired, host }: OutgoingRequest): boolean {
  const { name: _name, arguments: _arguments, _meta, ...others } = params;
  return Object.keys(others).length > 0 || inputRequired === 'return' || host !== undefined;
}
