import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { CallHandler, ServerRequest } from '@x/internal/contracts';
import { NoAnswer } from '../../server/methods/client-peer.js';
import type { ClientRequest } from '../../server/methods/client-request.js';
import { refusalOf } from './server-request.js';

export interface ConnectedHostOptions {
  readonly client: object;
  readonly owner: unknown;
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
  { client, owner, capabilities, timeoutMs, onPage }: ConnectedHostOptions,
): CallHandler {
  return {
    client,
    owner,
    get capabilities() {
      return capabilities();
    },
    async answer(asked, { server, signal }) {
      const refusal = refusalOf(asked, capabilities());
      if (refusal !== undefined) throw refusal;
      const question = forClient(asked);
      const { mode, elicitationId } = question.params;
      if (mode === 'url') onPage(server, String(elicitationId));
      const ended = AbortSignal.any([signal, request.signal]);
      ended.throwIfAborted();
      try {
        return await request.ask(question, { signal: ended, timeoutMs });
      } catch (error) {
        ended.throwIfAborted();
        throw error instanceof NoAnswer ? noAnswer(asked) : error;
      }
    },
  };
}

/** Drops `progressToken`: the progress would reach no one. */
function forClient({ method, params }: ServerRequest): {
  readonly method: string;
  readonly params: ServerRequest['params'];
} {
  const { _meta: meta, ...rest } = params;
  const { progressToken: _, ...kept } = (meta ?? {}) as Record<string, unknown>;
  return {
    method,
    params: {
      ...rest,
      ...(Object.keys(kept).length > 0 && { _meta: kept }),
      // Required up to revision 2025-11-25.
      ...(rest.mode === 'url' && rest.elicitationId === undefined && { elicitationId: crypto.randomUUID() }),
    },
  };
}

function noAnswer({ method }: ServerRequest): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InternalError, `The client that this is for did not answer "${method}"`);
}

/** Refuses all server requests, so that they reach no other client. */
export function silentHandler(client: unknown, owner: unknown): CallHandler {
  return { client, owner, capabilities: {}, answer: refuse };
}

export async function refuse({ method }: { readonly method: string }): Promise<never> {
  const message = `The client that this is for cannot be asked for "${method}" in the middle of this request`;
  throw new ProtocolError(ProtocolErrorCode.MethodNotFound, message);
}
