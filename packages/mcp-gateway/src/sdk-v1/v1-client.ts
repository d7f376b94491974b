import { ErrorCode, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { CallHandler } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { forClient, noResponseText, unsupported } from '../serving/asked-client.js';
import type { V1Extra, V1Server } from './v1-server.js';

/** Longest wait for a response, in milliseconds. */
const timeoutMs = 300_000;

/**
 * Asks the client of a call, as part of its request. `undefined` if it declares neither elicitation nor sampling. Roots
 * are left out: a server has one set of them for all clients.
 */
export function clientHandler(server: V1Server, extra: V1Extra): CallHandler | undefined {
  const declared = server.getClientCapabilities();
  const { elicitation, sampling } = isRecord(declared) ? declared : {};
  const capabilities = { ...(isRecord(elicitation) && { elicitation }), ...(isRecord(sampling) && { sampling }) };
  if (Object.keys(capabilities).length === 0) return undefined;
  return {
    client: server,
    era: 'legacy',
    clientInfo: server.getClientVersion() as CallHandler['clientInfo'],
    capabilities,
    async answer(asked, { signal }) {
      const refusal = unsupported(asked, capabilities);
      if (refusal !== undefined) throw rpcError(refusal);
      const ended = AbortSignal.any([signal, extra.signal]);
      ended.throwIfAborted();
      try {
        return await extra.sendRequest(forClient(asked), ResultSchema, { signal: ended, timeout: timeoutMs });
      } catch (error) {
        ended.throwIfAborted();
        throw clientError(error, noResponseText(asked));
      }
    },
  };
}

/** The SDK writes the code before the message of an error, and has codes of its own for the lack of a response. */
function clientError(error: unknown, noResponse: string): unknown {
  const { code, message, data } = error as {
    readonly code?: unknown;
    readonly message?: unknown;
    readonly data?: unknown;
  };
  if (code === ErrorCode.RequestTimeout || code === ErrorCode.ConnectionClosed) {
    return rpcError({ code: ErrorCode.InternalError, message: noResponse });
  }
  if (!Number.isInteger(code)) return error;
  return rpcError({ code: Number(code), message: String(message).replace(`MCP error ${code}: `, ''), data });
}

function rpcError({
  message,
  ...fields
}: {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}) {
  return Object.assign(new Error(message), fields);
}
