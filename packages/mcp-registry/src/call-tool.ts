import type {
  CallToolOptions,
  ToolArguments,
  ToolCaller,
  ToolCallResult,
  ToolProgress,
  ToolSource,
} from '@x/internal/contracts';
import { callListener } from '@x/internal/events';
import { isRecord } from '@x/internal/json';
import { refusedByReader, refuseUnfit } from './arguments/read-arguments.js';
import { notAnObject } from './arguments/refuse-arguments.js';
import { quote } from './catalog/diagnostics.js';
import type { Lifetime } from './catalog/lifetime.js';
import { isTaskResult, isToolCallResult, toErrorResult, toToolCallResult } from './catalog/native-result.js';
import type { NativeToolContext, NativeToolHandler } from './catalog/native-tool.js';
import { nearestNames } from './catalog/nearest-names.js';
import type { ToolEntry } from './catalog/snapshot.js';
import type { ToolView } from './catalog/tool-view.js';
import { RegistryError } from './errors.js';
import type { StandardIssue, StandardSchema } from './standard-schema.js';

/** A source is told the time itself; this much later it is given up on, should it keep no time. */
const SOURCE_GRACE_MS = 1_000;
const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** What a caller may call right now. */
export interface CallableTools {
  find(name: string): ToolEntry | undefined;
  list(): readonly ToolView[];
  /** Whether arguments are held against the tool's input schema before the call. */
  readonly validatesArguments: boolean;
  /** Runs the tool search over these tools. */
  readonly searchTool: NativeToolHandler;
  /** For whom they are; told to the sources of the tools. */
  readonly caller: () => ToolCaller | undefined;
  /** Its end ends every call that is under way, with its reason. */
  readonly lifetime: Lifetime;
}

/** Runs one tool and settles at the latest when the signal aborts, the time is over or the registry closes. */
export async function callTool(
  tools: CallableTools,
  name: string,
  args: unknown,
  { signal, timeoutMs, onProgress, meta, params, inputRequired, host, ...options }: CallToolOptions,
): Promise<ToolCallResult> {
  checkTimeout(timeoutMs);
  tools.lifetime.throwIfOver();
  signal?.throwIfAborted();
  const entry = tools.find(name);
  if (entry === undefined) throw unknownTool(name, tools.list());
  const { view, target } = entry;
  if (!isRecord(args)) throw notAnObject(view, args);
  const hasReader = target.kind === 'native' && target.reader !== undefined;
  // The search answers itself what is wrong with a request.
  if (tools.validatesArguments && target.kind !== 'search' && !hasReader) refuseUnfit(view, args);

  const reportProgress = untilOver(onProgress);
  const caller = tools.caller() ?? options.caller;
  const limits = { signal, lifetime: tools.lifetime, timeoutMs, tool: name };
  try {
    if (target.kind === 'source') {
      const given = {
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(onProgress === undefined ? {} : { onProgress: reportProgress.report }),
        ...(meta === undefined ? {} : { meta }),
        ...(params === undefined ? {} : { params }),
        ...(inputRequired === undefined ? {} : { inputRequired }),
        ...(host === undefined ? {} : { host }),
        ...(caller === undefined ? {} : { caller }),
      };
      const run = (ended: AbortSignal) => callSource(target.source, view, args, { ...given, signal: ended });
      return await runWithin(run, { ...limits, graceMs: SOURCE_GRACE_MS });
    }
    const native: NativeCall =
      target.kind === 'search' ? { handler: tools.searchTool } : { handler: target.handler, reader: target.reader };
    const run = (ended: AbortSignal) =>
      callNative(native, view, args, { signal: ended, reportProgress: reportProgress.report, meta: meta ?? {} });
    return await runWithin(run, { ...limits, graceMs: 0 });
  } finally {
    reportProgress.end();
  }
}

async function callSource(
  source: ToolSource,
  view: ToolView,
  args: ToolArguments,
  options: CallToolOptions,
): Promise<ToolCallResult> {
  const result: unknown = await source.callTool(view.tool, args, options);
  if (isToolCallResult(result) || isWantedInstead(result, options)) return result;
  // Structured content alone is a result, too; the protocol only wants the list to be there.
  if (isRecord(result) && result.content === undefined && 'structuredContent' in result)
    return { content: [], ...result };
  throw noResult(view, result);
}

/** What a call can be answered with in place of a result, by a caller who has said that they know what to do with it. */
function isWantedInstead(result: unknown, { inputRequired, params, host }: CallToolOptions): result is ToolCallResult {
  if (!isRecord(result)) return false;
  if (result.resultType === 'input_required') return inputRequired === 'return';
  const extensions = host?.capabilities.extensions;
  const takesTasks = params?.task !== undefined || (isRecord(extensions) && TASKS_EXTENSION in extensions);
  return takesTasks && isTaskResult(result);
}

interface NativeCall {
  readonly handler: NativeToolHandler;
  readonly reader?: StandardSchema | undefined;
}

async function callNative(
  { handler, reader }: NativeCall,
  view: ToolView,
  args: ToolArguments,
  context: NativeToolContext,
): Promise<ToolCallResult> {
  let issues: readonly StandardIssue[];
  try {
    const read = reader === undefined ? { value: args } : await reader['~standard'].validate(args);
    if (read.issues === undefined) {
      return toToolCallResult(await handler(read.value as ToolArguments, context));
    }
    issues = read.issues;
  } catch (error) {
    // The protocol wants a tool's failure where the model can see it; protocol errors are for calls that never ran.
    return toErrorResult(error);
  }
  throw refusedByReader(view, args, issues);
}

interface CallLimits {
  readonly signal: AbortSignal | undefined;
  readonly lifetime: Lifetime;
  readonly timeoutMs: number | undefined;
  readonly graceMs: number;
  readonly tool: string;
}

/** Also settles when what runs does not listen to its signal. */
async function runWithin<Result>(
  run: (ended: AbortSignal) => Promise<Result>,
  { signal, lifetime, timeoutMs, graceMs, tool }: CallLimits,
): Promise<Result> {
  const ended = new AbortController();
  const onAbort = () => ended.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  const lifetimeEnd = lifetime.onEnd(() => ended.abort(lifetime.reason));
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => ended.abort(timedOut(tool, timeoutMs)), Math.min(timeoutMs + graceMs, MAX_TIMEOUT_MS));
  try {
    const gaveUp = new Promise<never>((_, reject) => {
      ended.signal.addEventListener('abort', () => reject(ended.signal.reason));
    });
    return await Promise.race([gaveUp, run(ended.signal)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    lifetimeEnd[Symbol.dispose]();
  }
}

/** Progress that comes after the result is about nothing any more. */
function untilOver(onProgress: ((progress: ToolProgress) => void) | undefined) {
  let isOver = false;
  return {
    report(progress: ToolProgress): void {
      if (!isOver && onProgress !== undefined) callListener('An onProgress listener', () => onProgress(progress));
    },
    end(): void {
      isOver = true;
    },
  };
}

function checkTimeout(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined) return;
  if (Number.isFinite(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS) return;
  throw new TypeError(`timeoutMs must be more than 0 and at most ${MAX_TIMEOUT_MS} milliseconds, got ${timeoutMs}`);
}

function unknownTool(name: unknown, visible: readonly ToolView[]): RegistryError {
  const wanted = String(name);
  const suggestions = nearestNames(wanted, visible);
  const search = visible.length > 0 ? 'search_mcp_tools finds tools by what they do' : 'no tools are available here';
  const advice = suggestions.length > 0 ? `did you mean ${suggestions.join(', ')}?` : search;
  return new RegistryError('unknown-tool', `There is no tool named ${quote(wanted)}; ${advice}`, {
    tool: wanted,
    suggestions,
  });
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

function timedOut(tool: string, timeoutMs: number): RegistryError {
  const message = `The tool ${tool} did not answer within ${timeoutMs} milliseconds; it may or may not have had its effect`;
  return new RegistryError('timed-out', message, { tool });
}
