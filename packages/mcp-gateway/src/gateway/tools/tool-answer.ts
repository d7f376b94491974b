import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { toErrorResult } from '@x/internal/views';
import { isRefused } from '../../errors.js';
import { toProtocolResult } from '../../server/protocol-result.js';
import type { RegistryView } from '../../views/view.js';
import type { ClientFailure } from '../answering.js';
import { passedResult } from '../passing-on/passed-result.js';
import { rpcErrorOf } from '../rpc-error.js';
import { isPlainResult } from './plain-result.js';

/** In `_meta` of an error result: why the server did not answer, and whether the call may be made again. */
const FAILURE_META_KEY = 'mcp-registry/failure';

export interface ToolAnswerOptions {
  readonly options: CallToolOptions;
  /** Called when a server did not answer. Returns what the model and the client learn of it. */
  readonly onFailure: (error: unknown) => ClientFailure;
  /** Gives what the client is told of a call that goes on as a task; `undefined` if it does not. */
  readonly asTask?: (result: ToolCallResult) => CallToolResult | undefined;
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
  { options, onFailure, asTask }: ToolAnswerOptions,
): Promise<CallToolResult> {
  try {
    const result = await view.call(name, args, options);
    const task = asTask?.(result);
    if (task !== undefined) return task;
    if (result.resultType === 'input_required') return passedResult(result, asksBack(options)) as CallToolResult;
    return toClientResult(passedResult(result, { isModern: false }) as ToolCallResult);
  } catch (error) {
    if (options.signal?.aborted || rpcErrorOf(error) !== undefined) throw error;
    if (!isRefused(error)) return toFailureResult(onFailure(error));
    if (error.code === 'unknown-tool') throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    return toClientResult(toErrorResult(error));
  }
}

function toFailureResult({ message, facts }: ClientFailure): CallToolResult {
  return toClientResult({ ...toErrorResult(new Error(message)), _meta: { [FAILURE_META_KEY]: facts } });
}

/** Only clients of the 2026-07-28 revision are told what is needed first. */
function asksBack({ inputRequired }: CallToolOptions): { readonly isModern: boolean } {
  return { isModern: inputRequired === 'return' };
}

/** What is plain, as most results are, needs no other look at it. */
function toClientResult(result: ToolCallResult): CallToolResult {
  return isPlainResult(result) ? (result as unknown as CallToolResult) : toProtocolResult(result);
}
