import type { CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { toErrorResult } from '@x/internal/views';
import { isRefused } from '../errors.js';
import type { RegistryView } from '../views/view.js';

/** What a client is answered: the protocol's own error for what never was a call, and a result for everything else. */
export type ClientAnswer =
  | { readonly kind: 'result'; readonly result: ToolCallResult }
  | { readonly kind: 'unknown-tool'; readonly error: Error };

/**
 * A forbidden tool is answered as an unknown one. Whatever else goes wrong is a result that the model sees, arguments
 * that do not fit included: it is the one who can mend them.
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
