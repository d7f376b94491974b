import type { CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { toErrorResult } from '@x/internal/views';
import { isRefused } from '../../errors.js';
import { wrongParams } from '../../server/methods/rpc-errors.js';
import { type ResultForm, toolResult } from '../../server/methods/tool-result.js';
import type { RegistryView } from '../../views/view.js';
import type { ClientFailure } from '../answering.js';
import { passedResult } from '../passing-on/passed-result.js';
import { rpcErrorOf } from '../rpc-error.js';
import type { UpstreamResult } from '../upstream.js';

/** In `_meta` of an error result: why the server did not answer, and whether the call may be made again. */
const FAILURE_META_KEY = 'mcp-registry/failure';

export interface ToolAnswerOptions {
  readonly options: CallToolOptions;
  /** How the client receives a result. */
  readonly form: ResultForm;
  /** Called when a server did not answer. Returns what the model and the client learn of it. */
  readonly onFailure: (error: unknown) => ClientFailure;
  /** Gives what the client is told of a call that goes on as a task; `undefined` if it does not. */
  readonly asTask?: (result: ToolCallResult) => UpstreamResult | undefined;
}

/**
 * Calls a tool. What the registry refuses is a result that the model sees, for it is the one who can mend it; a tool that
 * is not there is an error of the protocol's.
 *
 * @throws what the tool's server has answered with, if that is an error of the protocol.
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
