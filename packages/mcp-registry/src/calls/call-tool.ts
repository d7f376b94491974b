import type {
  CallToolOptions,
  SourceCallOptions,
  ToolArguments,
  ToolCaller,
  ToolCallResult,
  ToolSource,
} from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { isToolResult } from '@x/internal/results';
import { quote } from '@x/internal/text';
import { type DecisionSink, type InterceptorParts, passedOn, type ToolView, toErrorResult } from '@x/internal/views';
import { notAnObject, readShape, refusedByReader, refuseUnfit } from '../arguments/read-arguments.js';
import type { Lifetime } from '../catalog/lifetime.js';
import type { NativeReader, NativeToolContext, NativeToolHandler } from '../catalog/native-tool.js';
import { nearestNames } from '../catalog/nearest-names.js';
import type { ToolEntry, Unlisted } from '../catalog/snapshot.js';
import { RegistryError } from '../errors.js';
import { interceptCall } from '../interceptors/intercepted-requests.js';
import type { StandardIssue } from '../standard-schema.js';
import { CallInProgress } from './call-in-progress.js';
import { checkCallOptions } from './call-options.js';
import { invalidResult, isTaskResult } from './call-results.js';

export interface CallableTools {
  readonly visible: FindableTools;
  readonly searchTool: NativeToolHandler;
  readonly caller: () => ToolCaller | undefined;
  readonly interceptors: { readonly seesCalls: boolean; readonly parts: InterceptorParts };
}

export interface ToolCall {
  readonly name: string;
  readonly args: unknown;
  readonly options: CallToolOptions;
  readonly onDecision?: DecisionSink;
}

interface FindableTools {
  find(name: string): ToolEntry | undefined;
  unlisted(name: string): Unlisted | undefined;
  readonly current: { readonly tools: readonly ToolView[] };
  readonly validatesArguments: boolean;
  readonly catalog: { readonly lifetime: Lifetime };
}

/**
 * Calls one tool.
 *
 * @param isRepeat - The call has begun before.
 * @throws Synchronously, if the tool cannot run.
 */
export function callTool(tools: CallableTools, call: ToolCall, isRepeat = false): Promise<ToolCallResult> {
  const { visible, interceptors } = tools;
  const { name, args, options } = call;
  const { lifetime } = visible.catalog;
  checkCallOptions(options);
  if (!isRepeat || lifetime.isOver) lifetime.throwIfOver(); // a call that has begun may finish
  options.signal?.throwIfAborted();
  const entry = visible.find(name);
  if (entry === undefined) throw unknownTool(String(name), visible);
  const { view, target } = entry;
  const bounds = { lifetime, options, tool: view.name };
  if (!isRecord(args)) throw notAnObject(view, args);
  const hasReader = target.kind === 'native' && target.reader !== undefined;
  // The search checks its own requests.
  const isChecked = visible.validatesArguments && target.kind !== 'search' && !hasReader;
  const loading = isChecked ? refuseUnfit(view, args) : undefined;
  // Starts again, because the tool may have changed while the code was loading.
  if (loading !== undefined) {
    const loaded = new CallInProgress<unknown>(bounds).settle(loading);
    return lifetime.during(loaded.then(() => callTool(tools, call, true)));
  }

  if (!interceptors.seesCalls) return dispatch(tools, entry, args, options);
  return interceptCall(interceptors.parts, {
    entry,
    args,
    bounds: target.kind === 'source' ? { ...bounds, graceMs: SOURCE_GRACE_MS } : bounds,
    isChecked,
    onDecision: call.onDecision,
    dispatch: (sent, given) => dispatch(tools, entry, sent, given),
    current() {
      const now = visible.find(name);
      if (now === undefined) throw unknownTool(name, visible);
      return now;
    },
  });
}

function dispatch(
  { visible, caller, searchTool }: CallableTools,
  { view, target }: ToolEntry,
  args: ToolArguments,
  options: CallToolOptions,
): Promise<ToolCallResult> {
  const { lifetime } = visible.catalog;
  if (target.kind === 'source') {
    return callSource({ source: target.source, view, args, caller: caller() }, options, lifetime);
  }
  const tool = target.kind === 'search' ? { handler: searchTool } : target;
  return callNative({ tool, view, args }, options, lifetime);
}

function unknownTool(tool: string, visible: FindableTools): RegistryError {
  const { tools } = visible.current;
  const suggestions = nearestNames(tool, tools);
  const search = tools.length > 0 ? 'search_mcp_tools finds tools by what they do' : 'no tools are available here';
  const hint = suggestions.length > 0 ? `did you mean ${suggestions.join(', ')}?` : search;
  const unlisted = visible.unlisted(tool);
  const advice = unlisted === undefined ? hint : explain(unlisted);
  const cause = unlisted?.failure === undefined ? undefined : Object.assign(new Error(unlisted.failure), unlisted);
  const message = `There is no tool named ${quote(tool)}; ${advice}`;
  return new RegistryError('unknown-tool', message, { tool, suggestions, ...(cause && { cause }) });
}

function explain({ server, state, failure }: Unlisted): string {
  return failure === undefined
    ? `server ${quote(server)} has not listed its tools yet: it is ${state}`
    : `server ${quote(server)}: its tools could not be listed: ${failure}`;
}

interface NativeRequest {
  readonly tool: { readonly handler: NativeToolHandler; readonly reader?: NativeReader | undefined };
  readonly view: ToolView;
  readonly args: ToolArguments;
}

function callNative(request: NativeRequest, options: CallToolOptions, lifetime: Lifetime): Promise<ToolCallResult> {
  const call = new CallInProgress<ToolCallResult>({ lifetime, options, tool: request.view.name });
  return call.settle(runHandler(request, contextOf(call, options)));
}

async function runHandler(
  { tool: { handler, reader }, view, args }: NativeRequest,
  context: NativeToolContext,
): Promise<ToolCallResult> {
  let issues: readonly StandardIssue[];
  try {
    const read = await readWith(reader, args);
    if (read.issues === undefined) {
      return toToolCallResult(await handler(read.value as ToolArguments, context));
    }
    issues = read.issues;
  } catch (error) {
    // The protocol requires tool failures to be visible to the model.
    return toErrorResult(error);
  }
  throw await refusedByReader(view, args, issues);
}

function readWith(reader: NativeReader | undefined, args: ToolArguments) {
  if (reader === undefined) return { value: args };
  return 'shape' in reader ? readShape(reader.shape, args) : reader['~standard'].validate(args);
}

function contextOf(call: CallInProgress<ToolCallResult>, { meta = {} }: CallToolOptions): NativeToolContext {
  return {
    // Created on read, because a signal costs more than the rest of the call.
    get signal() {
      return call.signal;
    },
    reportProgress: (progress) => call.report(progress),
    meta,
  };
}

/** Extra time in milliseconds for sources that ignore the time limit. */
const SOURCE_GRACE_MS = 1_000;
const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

interface SourceRequest {
  readonly source: ToolSource;
  readonly view: ToolView;
  readonly args: ToolArguments;
  readonly caller: ToolCaller | undefined;
}

function callSource(request: SourceRequest, options: CallToolOptions, lifetime: Lifetime): Promise<ToolCallResult> {
  const { source, view, caller } = request;
  const { signal, timeoutMs, onProgress } = options;
  const isSignalReusable = source.heedsSignals === true;
  // Only the end of the registry can end such a call.
  const isPlain = signal === undefined && timeoutMs === undefined && onProgress === undefined;
  if (isPlain && isSignalReusable)
    return lifetime.during(requestSource(request, optionsFor(options, { signal: lifetime.signal, caller })));

  const bounds = { lifetime, options, tool: view.name, graceMs: SOURCE_GRACE_MS, isSignalReusable };
  const call = new CallInProgress<ToolCallResult>(bounds);
  const sourceOptions = optionsFor(options, { signal: call.signal, caller });
  if (onProgress !== undefined) sourceOptions.onProgress = (progress) => call.report(progress);
  return call.settle(requestSource(request, sourceOptions));
}

type SourceOptions = { -readonly [Name in keyof SourceCallOptions]: SourceCallOptions[Name] };

/** Omits absent options, so that the source's defaults apply. */
function optionsFor(
  options: CallToolOptions,
  { signal, caller }: { readonly signal: AbortSignal; readonly caller: ToolCaller | undefined },
): SourceOptions {
  const { timeoutMs, meta, handler } = options;
  const sourceOptions: SourceOptions = { ...passedOn(options), signal };
  if (timeoutMs !== undefined) sourceOptions.timeoutMs = timeoutMs;
  if (meta !== undefined) sourceOptions.meta = meta;
  if (handler !== undefined) sourceOptions.handler = handler;
  if (caller !== undefined) sourceOptions.caller = caller;
  return sourceOptions;
}

async function requestSource(
  { source, view, args }: SourceRequest,
  options: SourceCallOptions,
): Promise<ToolCallResult> {
  const result: unknown = await source.callTool(view.tool, args, options);
  if (isToolResult(result) || isAcceptedInstead(result, options)) return result;
  // Structured content alone is valid, but the protocol requires the array.
  if (isRecord(result) && result.content === undefined && 'structuredContent' in result)
    return { content: [], ...result };
  throw invalidResult(view, result);
}

/** True if the caller opted in to such a response in place of a result. */
function isAcceptedInstead(
  result: unknown,
  { inputRequired, params, handler }: SourceCallOptions,
): result is ToolCallResult {
  if (!isRecord(result)) return false;
  if (result.resultType === 'input_required') return inputRequired === 'return';
  const extensions = handler?.capabilities.extensions;
  const acceptsTasks = params?.task !== undefined || (isRecord(extensions) && TASKS_EXTENSION in extensions);
  return acceptsTasks && isTaskResult(result);
}

function toToolCallResult(value: unknown): ToolCallResult {
  if (isToolResult(value)) return value;
  if (value === undefined) return { content: [] };
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };

  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`A tool's result must be JSON, got a ${typeof value}`);
  const content = [{ type: 'text' as const, text }];
  // Parsed again, so that both agree for any `toJSON`.
  return isRecord(value) ? { content, structuredContent: JSON.parse(text) } : { content };
}
