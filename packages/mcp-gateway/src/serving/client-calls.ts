import type { CallToolOptions, ToolArguments, ToolCallResult, ToolProgress } from '@x/internal/contracts';
import { interceptedOptions, interceptorsOf, peekTool, toErrorResult } from '@x/internal/views';
import { isRefused } from '../errors.js';
import type { RegistryView } from '../registry.js';
import { withStateOnly } from './public-failures.js';

type ClientAnswer =
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
    const shown = interceptedOptions(interceptorsOf(view)?.parts, peekTool(view, name)?.server, options);
    return { kind: 'result', result: await view.call(name, args ?? {}, shown) };
  } catch (failure) {
    const error = withStateOnly(failure, name);
    if (isRefused(error) && error.code === 'unknown-tool') return { kind: 'unknown-tool', error };
    return { kind: 'result', result: toErrorResult(error) };
  }
}

export const INVALID_RESULT: ToolCallResult = {
  content: [{ type: 'text', text: 'The tool returned a result that the protocol does not allow' }],
  isError: true,
};

/** The part of a client's request that both SDKs have. */
export interface ClientCall {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  notify(notification: { method: 'notifications/progress'; params: Record<string, unknown> }): Promise<void>;
}

/** Keeps an object without a progress token as it is: telemetry knows those that it has made. */
function partsOf(given: NonNullable<ClientCall['_meta']>) {
  if (!('progressToken' in given)) return { meta: nonEmpty(given) };
  const { progressToken, ...meta } = given;
  return { meta: nonEmpty(meta), progressToken };
}

function nonEmpty(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  return Object.keys(meta).length > 0 ? meta : undefined;
}

export function callOptionsOf(call: ClientCall): CallToolOptions {
  if (call._meta === undefined) return { signal: call.signal };
  const { meta, progressToken } = partsOf(call._meta);
  return {
    signal: call.signal,
    ...(meta && { meta }),
    ...(progressToken !== undefined && {
      onProgress: (progress: ToolProgress) => {
        const params = { ...progress, progressToken };
        // The connection is gone.
        call.notify({ method: 'notifications/progress', params }).catch(() => undefined);
      },
    }),
  };
}
