import { isRecord } from '@x/internal/json';
import type { Redact } from '../redaction.js';
import { callInBackground } from './call-in-background.js';
import type { CallLane } from './call-lane.js';
import type { Exchange } from './exchange.js';
import type { HostUnderWay } from './host-under-way.js';
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

/** The options of a call that is under way. */
export interface ToolCallOptions extends Omit<SessionCallOptions, 'host'> {
  readonly host?: HostUnderWay | undefined;
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

  /** What is no final result comes as it was sent, to callers who have said something that may lead to that. */
  async call(tool: string, args: Params, options: ToolCallOptions): Promise<ToolCallResult> {
    const { server, exchange } = this.#options;
    const { params, inputRequired, host } = options;
    const what = `the call of "${tool}"`;
    const headers = this.#headersFor(tool, args);
    const raw =
      this.#tasks.has(tool) && params?.task === undefined
        ? await this.#asTask(tool, args, options)
        : await exchange.send('tools/call', { ...params, name: tool, arguments: args }, { ...options, what, headers });
    const mayBeUnfinished = params !== undefined || inputRequired === 'return' || host !== undefined;
    if (mayBeUnfinished && isUnfinished(raw)) return raw as ToolCallResult;
    const result = readToolResult(raw, { server, tool });
    this.#output.check(tool, result);
    return result;
  }

  /** The short way, with the same care. @param callTool - The long way, for calls that cannot take the short one. */
  through(lane: CallLane, callTool: Session['callTool']): { send(call: OutgoingCall): CallHandle } {
    return {
      send: (call) => {
        if (call.params || this.#tasks.has(call.tool)) return callInBackground(call, callTool);
        return lane.send(this.#output.has(call.tool) ? this.#checked(call) : call);
      },
    };
  }

  #headersFor(tool: string, args: unknown): Readonly<Record<string, string>> | undefined {
    const inputSchema = this.#mirrored.get(tool);
    return inputSchema && paramHeaders(inputSchema, args);
  }

  #checked(call: OutgoingCall): OutgoingCall {
    const { tool, args, meta, wantsProgress, host } = call;
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
      host,
      onProgress: (progress) => call.onProgress(progress),
      onResult,
      onFailure: (error) => call.onFailure(error),
    };
  }

  #asTask(tool: string, args: Params, options: ToolCallOptions): Promise<RawResult> {
    const { signal, onProgress, meta, host } = options;
    const { server, exchange, progress, redact } = this.#options;
    const { ended } = exchange;
    // The token stays valid for as long as the task lives, which is longer than the request that makes it.
    const listening = onProgress && progress.add(onProgress);
    const params = {
      ...options.params,
      name: tool,
      arguments: args,
      ...requestMeta({ meta, progressToken: listening?.token }),
    };
    const what = `the call of "${tool}"`;
    const send = (method: string, each: Params, ends: AbortSignal) =>
      exchange.send(method, each, { signal: ends, what, host });
    return callAsTask({ server, tool, params, signal, ended, redact, send }).finally(() => listening?.remove());
  }
}

/** What a server may answer that is no result of the tool yet: what it needs first, or a task to follow. */
function isUnfinished({ resultType, task, content }: RawResult): boolean {
  if (resultType === 'input_required' || resultType === 'task') return true;
  return isRecord(task) && content === undefined;
}
