import type { CallToolOptions, ToolCaller, ToolCallResult } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { quote } from '@x/internal/text';
import type { ToolView } from '@x/internal/views';
import { refuseNonObject, refuseUnfit } from '../arguments/argument-code.js';
import type { Lifetime } from '../catalog/lifetime.js';
import type { NativeToolHandler } from '../catalog/native-tool.js';
import { nearestNames } from '../catalog/nearest-names.js';
import type { ToolEntry } from '../catalog/snapshot.js';
import { RegistryError } from '../errors.js';
import { CallInProgress, checkTimeout } from './call-in-progress.js';
import { callNative } from './call-native.js';
import { callSource } from './call-source.js';

export interface CallableTools {
  find(name: string): ToolEntry | undefined;
  list(): readonly ToolView[];
  readonly validatesArguments: boolean;
  readonly searchTool: NativeToolHandler;
  readonly caller: () => ToolCaller | undefined;
  readonly lifetime: Lifetime;
}

/**
 * Calls one tool.
 *
 * @throws Synchronously, if the tool cannot run.
 */
export function callTool(
  tools: CallableTools,
  name: string,
  args: unknown,
  options: CallToolOptions,
): Promise<ToolCallResult> {
  const { lifetime } = tools;
  checkTimeout(options.timeoutMs);
  lifetime.throwIfOver();
  options.signal?.throwIfAborted();
  const entry = tools.find(name);
  if (entry === undefined) throw unknownTool(name, tools.list());
  const { view, target } = entry;
  const bounds = { lifetime, options, tool: view.name };
  if (!isRecord(args)) return new CallInProgress<never>(bounds).settle(refuseNonObject(view, args));
  const hasReader = target.kind === 'native' && target.reader !== undefined;
  // The search checks its own requests.
  const isChecked = tools.validatesArguments && target.kind !== 'search' && !hasReader;
  const loading = isChecked ? refuseUnfit(view, args) : undefined;
  // Starts again, because the tool may have changed while the code was loading.
  if (loading !== undefined) {
    const loaded = new CallInProgress<unknown>(bounds).settle(loading);
    return loaded.then(() => callTool(tools, name, args, options));
  }

  if (target.kind === 'source') {
    const caller = tools.caller() ?? options.caller;
    return callSource({ source: target.source, view, args, caller }, options, lifetime);
  }
  const tool = target.kind === 'search' ? { handler: tools.searchTool } : target;
  return callNative({ tool, view, args }, options, lifetime);
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
