import { type JSONRPCMessage, ProtocolErrorCode, type RequestId, type Transport } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import type { UpstreamResult } from '../upstream.js';
import { isWritable } from './writable.js';

/** A transport that fails to write an answer sends none, and leaves its client waiting. */
const NOT_WRITABLE = {
  code: ProtocolErrorCode.InternalError,
  message: 'The result cannot be written as JSON: there is too much nested in it',
};

/**
 * Results that the protocol library knows nothing of: of methods and of kinds that it has no schema for, where it would
 * drop, add or refuse something. It is given a stand-in, whose place the server's own result takes on its way out.
 */
export class ResultsAsSent {
  readonly #results = new Map<RequestId, UpstreamResult>();

  /** @returns What the library is to be given for the request. */
  keep(request: RequestId, result: UpstreamResult): { readonly content: [] } {
    this.#results.set(request, result);
    return { content: [] }; // a stand-in for a tool's result, too
  }

  /** What was kept for a request that is answered without the library. */
  take(request: RequestId): UpstreamResult | undefined {
    const kept = this.#results.get(request);
    this.#results.delete(request);
    return kept;
  }

  /** The library has no place for this but the transport, whose `send` is taken over. */
  follow(transport: Transport): void {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(this.#toSend(message), options);
  }

  #toSend(message: JSONRPCMessage): JSONRPCMessage {
    const id = 'id' in message && !('method' in message) ? message.id : undefined;
    const kept = id === undefined ? undefined : this.take(id);
    if (id === undefined || !('result' in message)) return message;
    const result = kept === undefined ? message.result : withStamps(kept, message.result);
    if (!isWritable(result)) return { jsonrpc: '2.0', id, error: NOT_WRITABLE };
    return kept === undefined ? message : { ...message, result };
  }
}

/** What the library says in every result of the 2026-07-28 revision, as far as the server has not said it itself. */
function withStamps(kept: UpstreamResult, { resultType, _meta }: UpstreamResult): Record<string, unknown> {
  return {
    ...(resultType !== undefined && { resultType }),
    ...kept,
    ...(isRecord(_meta) && { _meta: { ..._meta, ...(isRecord(kept._meta) && kept._meta) } }),
  };
}
