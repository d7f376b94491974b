import type { CallToolOptions, ToolArguments, ToolCaller, ToolCallResult, ToolSource } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import type { ToolView } from '@x/internal/views';
import type { Lifetime } from '../catalog/lifetime.js';
import { isTaskResult, isToolCallResult } from '../catalog/native-result.js';
import { RegistryError } from '../errors.js';
import { CallInProgress } from './call-in-progress.js';

/** Extra time in milliseconds for sources that ignore the time limit. */
const SOURCE_GRACE_MS = 1_000;
const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

export interface SourceRequest {
  readonly source: ToolSource;
  readonly view: ToolView;
  readonly args: ToolArguments;
  readonly caller: ToolCaller | undefined;
}

export function callSource(
  request: SourceRequest,
  options: CallToolOptions,
  lifetime: Lifetime,
): Promise<ToolCallResult> {
  const { source, view, caller } = request;
  const { signal, timeoutMs, onProgress } = options;
  const isSignalReusable = source.heedsSignals === true;
  // Only the end of the registry can end such a call.
  const isPlain = signal === undefined && timeoutMs === undefined && onProgress === undefined;
  if (isPlain && isSignalReusable) return ask(request, optionsFor(options, { signal: lifetime.signal, caller }));

  const bounds = { lifetime, options, tool: view.name, graceMs: SOURCE_GRACE_MS, isSignalReusable };
  const call = new CallInProgress<ToolCallResult>(bounds);
  const given = optionsFor(options, { signal: call.signal, caller });
  if (onProgress !== undefined) given.onProgress = (progress) => call.report(progress);
  return call.settle(ask(request, given));
}

type GivenOptions = { -readonly [Name in keyof CallToolOptions]: CallToolOptions[Name] };

/** Omits absent options, so that the source's defaults apply. */
function optionsFor(
  { timeoutMs, meta, params, inputRequired, handler }: CallToolOptions,
  { signal, caller }: { readonly signal: AbortSignal; readonly caller: ToolCaller | undefined },
): GivenOptions {
  const given: GivenOptions = { signal };
  if (timeoutMs !== undefined) given.timeoutMs = timeoutMs;
  if (meta !== undefined) given.meta = meta;
  if (params !== undefined) given.params = params;
  if (inputRequired !== undefined) given.inputRequired = inputRequired;
  if (handler !== undefined) given.handler = handler;
  if (caller !== undefined) given.caller = caller;
  return given;
}

async function ask({ source, view, args }: SourceRequest, options: CallToolOptions): Promise<ToolCallResult> {
  const result: unknown = await source.callTool(view.tool, args, options);
  if (isToolCallResult(result) || isWantedInstead(result, options)) return result;
  // Structured content alone is valid, but the protocol requires the array.
  if (isRecord(result) && result.content === undefined && 'structuredContent' in result)
    return { content: [], ...result };
  throw noResult(view, result);
}

/** True if the caller opted in to such a response in place of a result. */
function isWantedInstead(
  result: unknown,
  { inputRequired, params, handler }: CallToolOptions,
): result is ToolCallResult {
  if (!isRecord(result)) return false;
  if (result.resultType === 'input_required') return inputRequired === 'return';
  const extensions = handler?.capabilities.extensions;
  const takesTasks = params?.task !== undefined || (isRecord(extensions) && TASKS_EXTENSION in extensions);
  return takesTasks && isTaskResult(result);
}

function noResult({ name }: ToolView, result: unknown): RegistryError {
  const got = isRecord(result)
    ? 'an object without a list of content'
    : result === null
      ? 'null'
      : `a ${typeof result}`;
  const message = `The source of ${name} answered the call with ${got}, which is no tool result; the tool may have had its effect`;
  return new RegistryError('invalid-result', message, { tool: name });
}
