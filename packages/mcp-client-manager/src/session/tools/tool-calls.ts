import { isRecord } from '@x/internal/json';
import { readToolResult } from '@x/internal/results';
import { ManagerError } from '../../errors.js';
import type { Redact } from '../../redaction.js';
import { paramHeaders, wantsHeaders } from '../http/param-headers.js';
import { type ExchangeContext, exchangePart, passProgress } from '../peer/exchange.js';
import type { Operation } from '../peer/in-flight.js';
import type { Params, RawResult } from '../peer/json-rpc.js';
import type { OutgoingRequest, ServerTool, SessionFacts, ToolCallResult } from '../session.js';
import type { OutputCheck } from './output-check.js';
import { outputCheckCode } from './output-check-code.js';
import { callAsTask, needsTask } from './tool-task.js';

interface ToolCallsOptions {
  readonly server: string;
  readonly facts: SessionFacts;
  readonly validateOutput: boolean;
  readonly redact: Redact;
  readonly repeatsArguments: boolean;
}

/** Requirements of the tools of one server, from the latest list. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  #output: OutputCheck | undefined;
  /** Tools that support only calls as tasks. */
  #tasks: ReadonlySet<string> = new Set();
  /** Input schemas of tools that map arguments to HTTP headers. */
  #mirrored: ReadonlyMap<string, ServerTool['inputSchema']> = new Map();

  constructor(options: ToolCallsOptions) {
    this.#options = options;
  }

  get outputProblems(): readonly string[] {
    return this.#output?.problems ?? [];
  }

  async update(tools: readonly ServerTool[]): Promise<void> {
    const { facts, repeatsArguments, validateOutput } = this.#options;
    const mirrored = repeatsArguments ? tools.filter(({ inputSchema }) => wantsHeaders(inputSchema)) : [];
    this.#tasks = new Set(tools.filter((tool) => needsTask(tool, facts)).map(({ name }) => name));
    this.#mirrored = new Map(mirrored.map(({ name, inputSchema }) => [name, inputSchema]));
    if (!validateOutput || (!this.#output && tools.every(({ outputSchema }) => !isRecord(outputSchema)))) return;
    const { OutputCheck } = await outputCheckCode();
    this.#output ??= new OutputCheck(this.#options);
    this.#output.update(tools);
  }

  headersOf({ name, arguments: args }: Params): Readonly<Record<string, string>> | undefined {
    const inputSchema = this.#mirrored.size > 0 ? this.#mirrored.get(String(name)) : undefined;
    return inputSchema && paramHeaders(inputSchema, args);
  }

  /**
   * Validates a result. Passes non-final results (`input_required`, tasks) through unchanged to callers that opted in.
   *
   * @throws {ManagerError} `server-error`, or `invalid-result`.
   */
  read(request: OutgoingRequest, raw: RawResult): RawResult {
    if (isUnfinished(raw) && mayBeUnfinished(request)) return raw;
    const tool = String(request.params.name);
    const result = readResult(raw, { server: this.#options.server, tool });
    this.#output?.check(tool, result);
    return result;
  }

  needsTask({ name, task }: Params): boolean {
    return this.#tasks.size > 0 && task === undefined && this.#tasks.has(String(name));
  }

  async callAsTask(
    request: OutgoingRequest,
    { signal, caller }: Operation,
    context: ExchangeContext,
  ): Promise<RawResult> {
    const { server, redact } = this.#options;
    const { peer } = context;
    const { params, meta, what } = request;
    // The progress token lives as long as the task.
    const listening = request.wantsProgress
      ? peer.listenToProgress((progress) => passProgress(progress, request))
      : undefined;
    const token = listening && { progressToken: listening.token };
    const _meta = { ...(params._meta as Params | undefined), ...meta, ...token };
    const whole = { ...params, ...(Object.keys(_meta).length > 0 && { _meta }) };
    const send = (method: string, each: Params, until: AbortSignal): Promise<RawResult> =>
      exchangePart(context, { method, params: each, signal: until, what, caller });
    try {
      const tool = String(params.name);
      return await callAsTask({ server, tool, params: whole, signal, ended: peer.ended, redact, send });
    } finally {
      listening?.stop();
    }
  }
}

function isUnfinished({ resultType, task, content }: RawResult): boolean {
  if (resultType === 'input_required' || resultType === 'task') return true;
  return isRecord(task) && content === undefined;
}

function mayBeUnfinished({ params, inputRequired, handler }: OutgoingRequest): boolean {
  const { name: _name, arguments: _arguments, _meta, ...others } = params;
  return Object.keys(others).length > 0 || inputRequired === 'return' || handler !== undefined;
}

/**
 * A missing `content` becomes an empty array.
 * @throws {ManagerError} `server-error`
 */
function readResult(raw: RawResult, { server, tool }: { server: string; tool: string }): ToolCallResult {
  const result = readToolResult(raw.content === undefined ? { ...raw, content: [] } : raw);
  if (result !== undefined && hasKnownFlags(raw)) return result;
  const message = `Server "${server}" failed the call of "${tool}": its result is invalid.`;
  throw new ManagerError('server-error', message, { server });
}

function hasKnownFlags({ isError, _meta }: RawResult): boolean {
  return (isError === undefined || typeof isError === 'boolean') && (_meta === undefined || isRecord(_meta));
}
