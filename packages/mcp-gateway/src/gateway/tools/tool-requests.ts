import type { ServerCapabilities } from '@modelcontextprotocol/server';
import type { CallHandler, SourceCallOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { CALL_TOOL_NAME, CODE_TOOL_NAME } from '@x/internal/names';
import {
  auditOf,
  type CodeToolView,
  INTERCEPTORS,
  type Intercepted,
  interceptAnswer,
  interceptedOptions,
  interceptorsOf,
  PEEK,
  type Peekable,
  passingOn,
  peekTool,
  peekTools,
  type ToolView,
  toErrorResult,
} from '@x/internal/views';
import { isRefused } from '../../errors.js';
import type { ViewDiagnostic } from '../../registry.js';
import type { ClientRequest, Era } from '../../server/methods/client-request.js';
import { wrongParams } from '../../server/methods/results.js';
import { type ResultForm, toolPage, toolResult } from '../../server/methods/tool-shapes.js';
import { type Audience, mayUseAllTools } from '../audiences.js';
import type { ClientFailure, ClientServices } from '../client-services.js';
import { publicAppTool, recordAppTools } from '../extensions/app-names.js';
import { forwardedResult } from '../forwarding/forwarded-result.js';
import type { GatewayCore } from '../gateway-core.js';
import { incompleteMeta, type MissingList } from '../resources-and-prompts/merged-list.js';
import { type GatewayUpstream, reasonOf, rpcErrorOf, type UpstreamResult } from '../upstream.js';

export interface ToolCallParams {
  readonly name: string;
  readonly arguments?: ToolArguments | undefined;
  /** Requests a task, in revision 2025-11-25. */
  readonly task?: unknown;
}

interface ToolListScope {
  readonly era: Era;
  /** The task support that the gateway has declared to the client. */
  readonly offered: ServerCapabilities['tasks'];
}

/** Handles `tools/list` and `tools/call`. */
export class ToolRequests {
  readonly #parts: ClientServices;

  constructor(parts: ClientServices) {
    this.#parts = parts;
  }

  async list(cursor: string | undefined, { era, offered }: ToolListScope): Promise<UpstreamResult> {
    const { core } = this.#parts;
    const audience = this.#parts.audience();
    if (core.policy.names.mode === 'prefixed') recordAppTools(audience);
    core.toolCollisions?.reportNew(audience);
    const tools = toolPage(audience.view, { pageSize: core.policy.serving.pageSize, cursor, era });
    const page = { ...tools, ...incompleteMeta(await missingTools(core, audience)) };
    return withTaskSupport(page, core, { audience, offered });
  }

  /** A `resultType` of `input_required` means that the client must respond first. */
  async call(given: ToolCallParams, context: ClientRequest): Promise<UpstreamResult> {
    const { core, answering, bridge } = this.#parts;
    const audience = this.#parts.audience();
    const isOfApp = core.policy.names.mode === 'prefixed' && this.#parts.showsApps(context);
    const params = isOfApp ? { ...given, name: publicAppTool(audience, given.name) } : given;
    const called = calledTool(audience, params);
    const upstream = core.upstreams.servers().find(({ name }) => name === called?.server);
    const { name, arguments: args = {} } = params;
    const asked = { method: 'tools/call', name, args, upstream, isAllowed: called !== undefined };
    // A failure is a result, so that the model can react.
    const onFailure = (error: unknown) => answering.reportFailure(error, context, upstream);
    const work = () => {
      const interceptors = interceptorsOf(audience.tools)?.parts;
      const server = called?.server;
      const asTask = (raw: ToolCallResult) => this.#registerTask(raw, { params, tool: called });
      const send = (options: SourceCallOptions) =>
        answerToolCall(this.#callable(audience, name, context), params, {
          options: withTask(interceptedOptions(interceptors, server, options), params, upstream),
          form: { era: context.era, outputSchema: peekTool(audience.view, name)?.outputSchema },
          onFailure,
          shown: (answer) => interceptAnswer(interceptors, { method: 'tools/call', server }, answer),
          asTask,
        });
      return bridge.run(asked, context, send);
    };
    return answering.run(
      context,
      upstream,
      work,
      () => called && recordLimited(audience, called, params, bridge.clientInfoOf(context)),
    );
  }

  /** Calls of a program are limited, logged and reported like those of the client itself. */
  #callable(audience: Audience, name: string, context: ClientRequest): CodeToolView {
    const { view } = audience;
    const { code } = this.#parts.core.policy.surface;
    if (name !== CODE_TOOL_NAME || code === undefined || view.get(name) === undefined) return view;
    const inner: CodeToolView & Intercepted & Peekable = {
      call: (...call) => this.#callFromProgram(audience, context, call),
      [INTERCEPTORS]: interceptorsOf(audience.tools),
      [PEEK]: () => peekTools(audience.tools),
    };
    return { call: (_, args = {}, options = {}) => code.run(inner, args, options) };
  }

  #callFromProgram(
    audience: Audience,
    context: ClientRequest,
    [name, args = {}, options]: Parameters<CodeToolView['call']>,
  ): Promise<ToolCallResult> {
    const { core, answering, bridge } = this.#parts;
    const called = calledTool(audience, { name });
    const upstream = core.upstreams.servers().find((server) => server.name === called?.server);
    const work = async () => {
      try {
        return await audience.view.call(name, args, options);
      } catch (error) {
        if (rpcErrorOf(error) !== undefined || context.signal.aborted) throw error;
        throw wrongParams(isRefused(error) ? error.message : answering.reportFailure(error, context, upstream).message);
      }
    };
    return answering.run(
      context,
      upstream,
      work,
      () => called && recordLimited(audience, called, { name, arguments: args }, bridge.clientInfoOf(context)),
    );
  }

  #registerTask(
    result: ToolCallResult,
    { params, tool }: { readonly params: ToolCallParams; readonly tool: ToolView | undefined },
  ): UpstreamResult | undefined {
    const mayBeTask = result.resultType === 'task' || params.task !== undefined;
    return tool && mayBeTask ? this.#parts.tasks.register(result, tool) : undefined;
  }
}

/** Key in `_meta` of an error result: why the server did not respond, and whether to retry. */
const FAILURE_META_KEY = 'mcp-registry/failure';

interface ToolAnswerOptions {
  readonly options: SourceCallOptions;
  readonly form: ResultForm;
  /** Returns the public part of a failure in which the server did not respond. */
  readonly onFailure: (error: unknown) => ClientFailure;
  /** Sends an answer that is not final through the interceptors. */
  readonly shown: (answer: UpstreamResult) => UpstreamResult;
  /** Returns the response for a call that continues as a task. */
  readonly asTask?: (result: ToolCallResult) => UpstreamResult | undefined;
}

/**
 * A refusal of the registry becomes a result, which the model can read and correct. An unknown tool is a protocol
 * error.
 *
 * @throws The server's own protocol error.
 */
async function answerToolCall(
  view: CodeToolView,
  { name, arguments: args = {} }: { readonly name: string; readonly arguments?: ToolArguments | undefined },
  { options, form, onFailure, shown, asTask }: ToolAnswerOptions,
): Promise<UpstreamResult> {
  try {
    const result = await view.call(name, args, passingOn(options));
    const task = asTask?.(result);
    if (task !== undefined) return shown(task);
    if (result.resultType === 'input_required') {
      return forwardedResult(shown(result), { isModern: form.era === 'modern' });
    }
    return toolResult(forwardedResult(result, { isModern: false }) as ToolCallResult, form);
  } catch (error) {
    if (options.signal?.aborted || rpcErrorOf(error) !== undefined) throw error;
    if (!isRefused(error)) return toolResult(failureResult(onFailure(error)), form);
    if (error.code === 'unknown-tool') throw wrongParams(error.message);
    return toolResult(toErrorResult(error), form);
  }
}

function failureResult({ message, facts }: ClientFailure): ToolCallResult {
  return { ...toErrorResult(new Error(message)), _meta: { [FAILURE_META_KEY]: facts } };
}

interface AskedCall {
  readonly name: string;
  readonly arguments?: unknown;
}

function calledTool({ view, tools }: Audience, { name, arguments: args }: AskedCall): ToolView | undefined {
  const named = name === CALL_TOOL_NAME && isRecord(args) ? String(args.name) : name;
  return peekTool(view, named) ?? peekTool(tools, named);
}

/** Records a call over a limit as the registry would, under the registry's name. */
function recordLimited(
  { tools }: Audience,
  called: ToolView,
  { name, arguments: args }: AskedCall,
  client: CallHandler['clientInfo'],
): void {
  const given = name === CALL_TOOL_NAME && isRecord(args) ? args.arguments : args;
  const view = peekTools(tools).find(({ server, tool }) => server === called.server && tool === called.tool) ?? called;
  const lookup = { name: view.name, hidden: { view }, entry: { view }, decision: ALLOWED };
  auditOf(tools)?.called(lookup, given, 'rate-limited', client);
}

/** Callers that may not use the tool do not get here. */
const ALLOWED = Object.freeze({ isAllowed: true });

/**
 * Returns the servers whose tools are unknown, if the requester may know of them. Sends no requests: a registry keeps
 * each server's last list, and only a server that never listed, or failed, has none.
 */
async function missingTools(core: GatewayCore, audience: Audience): Promise<readonly MissingList[]> {
  const known = new Set(peekTools(core.audiences.of({}).tools).map(({ server }) => server));
  const unknown = core.upstreams.servers().filter(({ name }) => !known.has(name) && mayUseAllTools(audience, name));
  const mayHaveFailed = unknown.some(({ session }) => session?.capabilities.tools !== undefined);
  const diagnostics = mayHaveFailed ? await core.policy.registry.diagnostics() : [];
  return unknown.flatMap((upstream) => {
    const reason = reasonFor(upstream, diagnostics);
    return reason === undefined ? [] : [{ server: upstream.name, reason }];
  });
}

/** Returns `undefined` for a server without tools. */
function reasonFor(
  { name, session, state }: GatewayUpstream,
  diagnostics: readonly ViewDiagnostic[],
): string | undefined {
  if (session === undefined) return 'not-running';
  if (session.capabilities.tools === undefined) return undefined;
  const failure = diagnostics.find(({ code, server }) => code === 'listing-failed' && server === name);
  if (failure !== undefined) return reasonOf(failure.cause);
  return state === 'degraded' ? 'failed' : undefined;
}

/** Requests a task, before revision 2026-07-28, from a server that supports them. */
function withTask(
  options: SourceCallOptions,
  { task }: { readonly task?: unknown },
  upstream: GatewayUpstream | undefined,
): SourceCallOptions {
  const { capabilities, era } = upstream?.session ?? {};
  if (!isRecord(task) || era === 'modern' || capabilities?.tasks === undefined) return options;
  return { ...options, params: { ...options.params, task } };
}

const SUPPORT: ReadonlySet<unknown> = new Set(['forbidden', 'optional', 'required']);

/**
 * Adds `execution.taskSupport` of revision 2025-11-25 where calls can be tasks: the gateway has offered tasks to this
 * client, and the tool's server supports them.
 */
function withTaskSupport<Page extends { readonly tools: readonly { readonly name: string }[] }>(
  page: Page,
  { upstreams }: GatewayCore,
  { audience, offered }: { readonly audience: Audience; readonly offered: ServerCapabilities['tasks'] },
): Page {
  if (!supportsCalls(offered)) return page;
  const taking = new Set(
    upstreams.servers().flatMap(({ name, session }) => {
      return session?.era !== 'modern' && supportsCalls(session?.capabilities.tasks) ? [name] : [];
    }),
  );
  const executions = new Map(
    peekTools(audience.view)
      .filter((tool) => taking.has(tool.server ?? '') && isExecution(tool))
      .map(({ name, execution }) => [name, execution]),
  );
  if (executions.size === 0) return page;
  const tools = page.tools.map((tool) => {
    const execution = executions.get(tool.name);
    return execution === undefined ? tool : { ...tool, execution };
  });
  return { ...page, tools };
}

function supportsCalls(tasks: unknown): boolean {
  if (!isRecord(tasks) || !isRecord(tasks.requests) || !isRecord(tasks.requests.tools)) return false;
  return tasks.requests.tools.call !== undefined;
}

/** Clients validate a list as a whole, so an invalid entry would cost them all tools. */
function isExecution({ execution }: ToolView): boolean {
  return isRecord(execution) && (execution.taskSupport === undefined || SUPPORT.has(execution.taskSupport));
}
