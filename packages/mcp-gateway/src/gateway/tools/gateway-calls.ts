import { peekTool } from '@x/internal/views';
import type { DirectCalls, DirectOutcome } from '../../server/direct-calls.js';
import type { PlainCall } from '../../server/requests/plain-call.js';
import type { ClientParts } from '../client-parts.js';
import type { ClientRequest } from '../client-request.js';
import { isPlainResult } from './plain-result.js';
import { ToolCalls } from './tool-calls.js';

type Fields = Readonly<Record<string, unknown>>;

export interface GatewayCallsOptions {
  readonly parts: ClientParts;
  /** The call's ways back to its client. */
  readonly contextOf: (call: PlainCall, signal: AbortSignal) => ClientRequest;
  /** The result as it goes out, with what the protocol library adds to each of the revision. */
  readonly stamp: (result: Fields, id: PlainCall['id']) => Fields;
}

/** Plain calls, made as all others are: only what the protocol library does before and after is left out. */
export class GatewayCalls implements DirectCalls {
  readonly #options: GatewayCallsOptions;
  readonly #toolCalls: ToolCalls;

  constructor(options: GatewayCallsOptions) {
    this.#options = options;
    this.#toolCalls = new ToolCalls(options.parts);
  }

  async call(call: PlainCall, signal: AbortSignal): Promise<DirectOutcome> {
    const { parts, contextOf, stamp } = this.#options;
    try {
      const result: Fields = await this.#toolCalls.call(call.params, contextOf(call, signal));
      const schema = peekTool(parts.audience().view, call.params.name)?.outputSchema;
      if (isPlainResult(result, schema)) return { kind: 'result', result: stamp(result, call.id) };
      return { kind: 'prepared', settle: async () => result };
    } catch (error) {
      if (signal.aborted) throw error;
      return { kind: 'prepared', settle: () => Promise.reject(error) };
    }
  }
}

/** The parts of a request that only the protocol library's way has are not there. */
export function contextOf(
  { id, meta, envelope }: PlainCall,
  signal: AbortSignal,
  { send, notify }: Pick<ClientRequest['mcpReq'], 'send' | 'notify'>,
): ClientRequest {
  const requestState = () => undefined;
  return {
    mcpReq: {
      id,
      method: 'tools/call',
      requestState,
      signal,
      send,
      notify,
      ...(meta !== undefined && { _meta: meta }),
      ...(envelope !== undefined && { envelope: envelope as NonNullable<ClientRequest['mcpReq']['envelope']> }),
    },
  };
}
