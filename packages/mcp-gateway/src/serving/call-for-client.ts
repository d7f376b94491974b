import type { CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { toErrorResult } from '@x/internal/views';
import { isRefused } from '../errors.js';
import type { RegistryView } from '../views/view.js';

export type ClientAnswer =
  | { readonly kind: 'result'; readonly result: ToolCallResult }
  | { readonly kind: 'unknown-tool'; readonly error: Error };

/**
 * Calls a tool. A forbidden tool is reported as unknown. Every other failure, such as invalid arguments, becomes a
 * result, which the model can read and correct.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling
 */
export async function callForClient(
  view: RegistryView,
  name: string,
  args: ToolArguments | undefined,
  options: CallToolOptions,
): Promise<ClientAnswer> {
  try {
    return { kind: 'result', result: await view.call(name, args ?? {}, options) };
  } catch (error) {
    if (isRefused(error) && error.code === 'unknown-tool') return { kind: 'unknown-tool', error };
    return { kind: 'result', result: toErrorResult(error) };
  }
}

export const NO_RESULT: ToolCallResult = {
  content: [{ type: 'text', text: 'The tool gave a result that the protocol does not allow' }],
  isError: true,
};
