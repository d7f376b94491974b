import { quote } from './catalog/diagnostics.js';
import { isRecord } from './catalog/json-copy.js';
import type { Lifetime } from './catalog/lifetime.js';
import { toErrorResult, toToolCallResult } from './catalog/native-result.js';
import type { NativeToolHandler } from './catalog/native-tool.js';
import { nearestNames } from './catalog/nearest-names.js';
import type { ToolEntry } from './catalog/snapshot.js';
import type { ToolView } from './catalog/tool-view.js';
import { RegistryError } from './errors.js';
import { rethrowLater } from './events.js';
import type { CallToolOptions, ToolArguments, ToolCallResult, ToolProgress, ToolSource } from './source.js';

/** A source is told the time itself; this much later it is given up on, should it keep no time. */
const SOURCE_GRACE_MS = 1_000;
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** What a caller may call right now. */
export interface CallableTools {
  find(name: string): ToolEntry | undefined;
  list(): readonly ToolView[];
  /** Runs the tool search over these tools. */
  readonly searchTool: NativeToolHandler;
  /** Its end ends every call that is under way, with its reason. */
  readonly lifetime: Lifetime;
}

/** Runs one tool and settles at the latest when the signal aborts, the time is over or the registry closes. */
export async function callTool(
  tools: CallableTools,
  name: string,
  args: unknown,
  { signal, timeoutMs, onProgress }: CallToolOptions,
): Promise<ToolCallResult> {
  checkTimeout(timeoutMs);
  tools.lifetime.throwIfOver();
  signal?.throwIfAborted();
  const entry = tools.find(name);
  if (entry === undefined) throw unknownTool(name, tools.list());
  if (!isRecord(args)) throw invalidArguments(name, args);

  const reportProgress = untilOver(onProgress);
  const limits = { signal, lifetime: tools.lifetime, timeoutMs, tool: name };
  try {
    if (entry.target.kind === 'source') {
      const { source } = entry.target;
      const run = (ended: AbortSignal) =>
        callSource(source, entry.view.tool, args, ended, timeoutMs, onProgress && reportProgress.report);
      return await runWithin(run, { ...limits, graceMs: SOURCE_GRACE_MS });
    }
    const handler = entry.target.kind === 'search' ? tools.searchTool : entry.target.handler;
    const run = (ended: AbortSignal) => callNative(handler, args, ended, reportProgress.report);
    return await runWithin(run, { ...limits, graceMs: 0 });
  } finally {
    reportProgress.end();
  }
}

async function callSource(
  source: ToolSource,
  tool: string,
  args: ToolArguments,
  signal: AbortSignal,
  timeoutMs: number | undefined,
  onProgress: ((progress: ToolProgress) => void) | undefined,
): Promise<ToolCallResult> {
  return source.callTool(tool, args, {
    signal,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
}

async function callNative(
  handler: NativeToolHandler,
  args: ToolArguments,
  signal: AbortSignal,
  reportProgress: (progress: ToolProgress) => void,
): Promise<ToolCallResult> {
  try {
    return toToolCallResult(await handler(args, { signal, reportProgress }));
  } catch (error) {
    // The protocol wants a tool's failure where the model can see it; protocol errors are for calls that never ran.
    return toErrorResult(error);
  }
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
      if (isOver || onProgress === undefined) return;
      try {
        onProgress(progress);
      } catch (error) {
        rethrowLater(error); // the listener's fault, not the tool's
      }
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

function invalidArguments(tool: string, args: unknown): RegistryError {
  const got = args === null ? 'null' : Array.isArray(args) ? 'an array' : `a ${typeof args}`;
  return new RegistryError('invalid-arguments', `The arguments of ${tool} must be an object, got ${got}`, { tool });
}

function timedOut(tool: string, timeoutMs: number): RegistryError {
  const message = `The tool ${tool} did not answer within ${timeoutMs} milliseconds; it may or may not have had its effect`;
  return new RegistryError('timed-out', message, { tool });
}
