import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { CallHandler, ServerRequest } from '@x/internal/contracts';
import { NoAnswer } from '../../server/methods/client-questions.js';
import type { ClientRequest } from '../../server/methods/client-request.js';
import { refusalOf } from './server-request.js';

export interface ConnectedHostOptions {
  readonly client: object;
  /** Owner of the client. */
  readonly owner: unknown;
  /** Read again for each server request. */
  readonly capabilities: () => Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  /** Called with a page that the client is sent to, and whose completion the server may announce later. */
  readonly onPage: (server: string, elicitationId: string) => void;
}

/**
 * A client of the revisions before 2026-07-28. Server requests go over its connection as part of its own request, so
 * that over HTTP they use that request's stream.
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

/** A server request in the client's form. There is nowhere to send the progress of its response. */
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
      // Required until 2025-11-25 and removed since.
      ...(rest.mode === 'url' && rest.elicitationId === undefined && { elicitationId: crypto.randomUUID() }),
    },
  };
}

function noAnswer({ method }: ServerRequest): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InternalError, `The client that this is for did not answer "${method}"`);
}
