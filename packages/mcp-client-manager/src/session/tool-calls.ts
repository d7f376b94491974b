import type { Redact } from '../redaction.js';
import type { CallLane } from './call-lane.js';
import type { Exchange } from './exchange.js';
import { OutputCheck } from './output-check.js';
import { paramHeaders, wantsHeaders } from './param-headers.js';
import type { ProgressListeners } from './progress-listeners.js';
import type { Params, RawResult } from './request-lane.js';
import { requestMeta } from './request-meta.js';
import type {
  CallHandle,
  OutgoingCall,
  ServerTool,
  Session,
  SessionCallOptions,
  SessionFacts,
  SessionRequestOptions,
  ToolCallResult,
} from './session.js';
import { readToolResult } from './tool-result.js';
import { callAsTask, needsTask } from './tool-task.js';

export interface ToolCallsOptions {
  readonly server: string;
  readonly facts: SessionFacts;
  readonly exchange: Exchange;
  readonly progress: ProgressListeners;
  readonly validateOutput: boolean;
  /** Goes over what the server says in errors. */
  readonly redact: Redact;
  /** Whether arguments are repeated as HTTP headers where a tool asks for that. */
  readonly repeatsArguments: boolean;
}

/** Calls of tools, each in the way that its tool asks for in the list that came last. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #output: OutputCheck;
  /** Tools that can be called as tasks only. */
  #tasks: ReadonlySet<string> = new Set();
  /** Tools some of whose arguments have to be repeated as HTTP headers, with what says which. */
  #mirrored: ReadonlyMap<string, ServerTool['inputSchema']> = new Map();

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    this.#output = new OutputCheck(options);
  }

  get outputProblems(): readonly string[] {
    return this.#output.problems;
  }

  learn(tools: readonly ServerTool[]): void {
    const { facts, repeatsArguments, validateOutput } = this.#options;
    const mirrored = repeatsArguments ? tools.filter(({ inputSchema }) => wantsHeaders(inputSchema)) : [];
    this.#tasks = new Set(tools.filter((tool) => needsTask(tool, facts)).map(({ name }) => name));
    this.#mirrored = new Map(mirrored.map(({ name, inputSchema }) => [name, inputSchema]));
    if (validateOutput) this.#output.learn(tools);
  }

  async call(tool: string, args: Params, options: SessionCallOptions): Promise<ToolCallResult> {
    const { server, exchange } = this.#options;
    const what = `the call of "${tool}"`;
    const headers = this.#headersFor(tool, args);
    const raw = this.#tasks.has(tool)
      ? await this.#asTask(tool, args, options)
      : await exchange.send('tools/call', { name: tool, arguments: args }, { ...options, what, headers });
    const result = readToolResult(raw, { server, tool });
    this.#output.check(tool, result);
    return result;
  }

  /** A call with whatever its caller wants to say beside name and arguments. Its result is checked if it is one. */
  async request(params: Params, options: SessionRequestOptions): Promise<RawResult> {
    const headers = this.#headersFor(String(params.name), params.arguments);
    const result = await this.#options.exchange.send('tools/call', params, { ...options, headers });
    const isFinal = result.task === undefined && result.resultType !== 'input_required';
    if (isFinal) this.#output.check(String(params.name), result as ToolCallResult);
    return result;
  }

  /** The short way, with the same care. @param callTool - The long way, for calls that cannot take the short one. */
  through(lane: CallLane, callTool: Session['callTool']): { send(call: OutgoingCall): CallHandle } {
    return {
      send: (call) => {
        if (this.#tasks.has(call.tool)) return inBackground(call, callTool);
        return lane.send(this.#output.has(call.tool) ? this.#checked(call) : call);
      },
    };
  }

  #headersFor(tool: string, args: unknown): Readonly<Record<string, string>> | undefined {
    const inputSchema = this.#mirrored.get(tool);
    return inputSchema && paramHeaders(inputSchema, args);
  }

  #checked(call: OutgoingCall): OutgoingCall {
    const { tool, args, meta, wantsProgress } = call;
    const onResult = (result: ToolCallResult): void => {
      try {
        this.#output.check(tool, result);
      } catch (error) {
        call.onFailure(error);
        return;
      }
      call.onResult(result);
    };
    return {
      tool,
      args,
      meta,
      wantsProgress,
      onProgress: (progress) => call.onProgress(progress),
      onResult,
      onFailure: (error) => call.onFailure(error),
    };
  }

  #asTask(tool: string, args: Params, { signal, onProgress, meta }: SessionCallOptions): Promise<RawResult> {
    const { server, exchange, progress, redact } = this.#options;
    const { ended } = exchange;
    // The token stays valid for as long as the task lives, which is longer than the request that makes it.
    const listening = onProgress && progress.add(onProgress);
    const params = { name: tool, arguments: args, ...requestMeta({ meta, progressToken: listening?.token }) };
    const what = `the call of "${tool}"`;
    const send = (method: string, each: Params, ends: AbortSignal) =>
      exchange.send(method, each, { signal: ends, what });
    return callAsTask({ server, tool, params, signal, ended, redact, send }).finally(() => listening?.remove());
  }
}

function inBackground(call: OutgoingCall, callTool: Session['callTool']): CallHandle {
  const end = new AbortController();
  const onProgress = call.wantsProgress ? call.onProgress.bind(call) : undefined;
  callTool(call.tool, call.args, { signal: end.signal, onProgress, meta: call.meta }).then(
    (result) => {
      if (!end.signal.aborted) call.onResult(result);
    },
    (error: unknown) => {
      if (!end.signal.aborted) call.onFailure(error);
    },
  );
  return { isSent: true, cancel: (reason) => end.abort(reason) };
}
