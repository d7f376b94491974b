import type { CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { type ToolView, toErrorResult } from '@x/internal/views';
import { refusedByReader } from '../arguments/argument-code.js';
import type { Lifetime } from '../catalog/lifetime.js';
import { toToolCallResult } from '../catalog/native-result.js';
import type { NativeToolContext, NativeToolHandler } from '../catalog/native-tool.js';
import type { StandardIssue, StandardSchema } from '../standard-schema.js';
import { CallInProgress } from './call-in-progress.js';

export interface NativeRequest {
  readonly tool: { readonly handler: NativeToolHandler; readonly reader?: StandardSchema | undefined };
  readonly view: ToolView;
  readonly args: ToolArguments;
}

export function callNative(
  request: NativeRequest,
  options: CallToolOptions,
  lifetime: Lifetime,
): Promise<ToolCallResult> {
  const call = new CallInProgress<ToolCallResult>({ lifetime, options, tool: request.view.name });
  return call.settle(runHandler(request, contextOf(call, options)));
}

async function runHandler(
  { tool: { handler, reader }, view, args }: NativeRequest,
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
    // The protocol requires tool failures to be visible to the model.
    return toErrorResult(error);
  }
  throw await refusedByReader(view, args, issues);
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
