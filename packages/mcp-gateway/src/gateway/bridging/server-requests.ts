import { isSpecType, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { CallHandler, ServerRequest } from '@x/internal/contracts';
import { NoResponse } from '../../server/methods/client-peer.js';
import type { ClientRequest, Era } from '../../server/methods/client-request.js';
import { forClient, noResponseText, unsupported } from '../../serving/asked-client.js';

type Fields = Readonly<Record<string, unknown>>;

/** Returns the client's error for a server request that it does not support. */
export function refusalOf(asked: ServerRequest, capabilities: Fields): ProtocolError | undefined {
  const refusal = unsupported(asked, capabilities);
  return refusal && new ProtocolError(refusal.code, refusal.message);
}

/** True for a result of the right type. The server checks the details. */
export function isResponseTo({ method, params }: ServerRequest, answer: unknown): boolean {
  if (method === 'elicitation/create') return isSpecType.ElicitResult(answer);
  if (method === 'roots/list') return isSpecType.ListRootsResult(answer);
  const wantsTools = params.tools !== undefined || params.toolChoice !== undefined;
  return wantsTools ? isSpecType.CreateMessageResultWithTools(answer) : isSpecType.CreateMessageResult(answer);
}

/**
 * Answers a request that the client does not support. `undefined`: it does.
 *
 * @throws The error of the client, if no one else answers.
 */
export type OnRefused = (
  asked: ServerRequest,
  context: { readonly server: string; readonly signal: AbortSignal },
) => Promise<Fields | undefined>;

/** Refuses what a client with these capabilities does not support. */
export function refusing(capabilities: () => Fields): OnRefused {
  return async (asked) => {
    const refusal = refusalOf(asked, capabilities());
    if (refusal !== undefined) throw refusal;
    return undefined;
  };
}

interface ConnectedHandlerOptions {
  readonly onRefused: OnRefused;
  readonly client: object;
  readonly owner: unknown;
  readonly era: Era;
  readonly clientInfo: CallHandler['clientInfo'];
  /** Read for each server request. */
  readonly capabilities: () => Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  /** Called with a page that the client is sent to. */
  readonly onPage: (server: string, elicitationId: string) => void;
}

/**
 * Handles server requests for a client before revision 2026-07-28, as part of its own request, whose stream HTTP uses.
 */
export function connectedHandler(
  request: ClientRequest,
  { client, owner, era, clientInfo, capabilities, timeoutMs, onPage, onRefused }: ConnectedHandlerOptions,
): CallHandler {
  return {
    client,
    owner,
    era,
    clientInfo,
    get capabilities() {
      return capabilities();
    },
    onStreamPause: () => request.pause(),
    async answer(asked, { server, signal }) {
      const ended = AbortSignal.any([signal, request.signal]);
      const answered = await onRefused(asked, { server, signal: ended });
      if (answered !== undefined) return answered;
      const question = forClient(asked);
      const { mode, elicitationId } = question.params;
      if (mode === 'url') onPage(server, String(elicitationId));
      ended.throwIfAborted();
      try {
        return await request.ask(question, { signal: ended, timeoutMs });
      } catch (error) {
        ended.throwIfAborted();
        if (!(error instanceof NoResponse)) throw error;
        throw new ProtocolError(ProtocolErrorCode.InternalError, noResponseText(asked));
      }
    },
  };
}

/** Refuses all server requests, so that they reach no other client. */
export function silentHandler(client: unknown, owner: unknown): CallHandler {
  return { client, owner, capabilities: {}, answer: refuse };
}

export async function refuse({ method }: { readonly method: string }): Promise<never> {
  const message = `The client of this call cannot receive "${method}" during a request`;
  throw new ProtocolError(ProtocolErrorCode.MethodNotFound, message);
}
