import type { CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { toErrorResult } from '@x/internal/views';
import { isRefused } from '../../errors.js';
import type { RegistryView } from '../../registry.js';
import { wrongParams } from '../../server/methods/responses.js';
import { type ResultForm, toolResult } from '../../server/methods/tool-shapes.js';
import type { ClientFailure } from '../answering.js';
import { passedResult } from '../passing-on/passed-result.js';
import { rpcErrorOf } from '../rpc-error.js';
import type { UpstreamResult } from '../upstream.js';

/** Key in `_meta` of an error result: why the server did not respond, and whether to retry. */
const FAILURE_META_KEY = 'mcp-registry/failure';

export interface ToolAnswerOptions {
  readonly options: CallToolOptions;
  readonly form: ResultForm;
  /** Returns the public part of a failure in which the server did not respond. */
  readonly onFailure: (error: unknown) => ClientFailure;
  /** Returns the response for a call that continues as a task. */
  readonly asTask?: (result: ToolCallResult) => UpstreamResult | undefined;
}

/**
 * A refusal of the registry becomes a result, which the model can read and correct. An unknown tool is a protocol
 * error.
 *
 * @throws The server's own protocol error.
 */
export async function answerToolCall(
  view: RegistryView,
  { name, arguments: args = {} }: { readonly name: string; readonly arguments?: ToolArguments | undefined },
  { options, form, onFailure, asTask }: ToolAnswerOptions,
): Promise<UpstreamResult> {
  try {
    const result = await view.call(name, args, options);
    const task = asTask?.(result);
    if (task !== undefined) return task;
    if (result.resultType === 'input_required') return passedResult(result, { isModern: form.era === 'modern' });
    return toolResult(passedResult(result, { isModern: false }) as ToolCallResult, form);
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
