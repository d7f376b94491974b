import { isSpecType, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { CallHandler, ServerRequest } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { NoResponse } from '../../server/methods/client-peer.js';
import type { ClientRequest, Era } from '../../server/methods/client-request.js';

/**
 * Capabilities to declare to servers: `createClientManager(config, { capabilities: gatewayCapabilities })`. The gateway
 * forwards server requests to the client of the call, or refuses them if that client lacks the capability.
 *
 * Without roots: a server before revision 2026-07-28 has one set of them for all clients. Later servers get each
 * client's capabilities with its requests.
 */
export const gatewayCapabilities = Object.freeze({
  sampling: Object.freeze({ tools: Object.freeze({}), context: Object.freeze({}) }),
  elicitation: Object.freeze({ form: Object.freeze({}), url: Object.freeze({}) }),
  /** Hosts without apps get the same tools, and do not open their pages. */
  extensions: Object.freeze({
    'io.modelcontextprotocol/ui': Object.freeze({ mimeTypes: Object.freeze(['text/html;profile=mcp-app']) }),
  }),
});

/** The same with roots, for a gateway that serves a single connection of `gateway.serve()`, and no `handler()`. */
export const singleClientCapabilities = Object.freeze({
  ...gatewayCapabilities,
  roots: Object.freeze({ listChanged: true }),
});

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the client's error for a server request whose capability it has not declared. Ignores `includeContext`, which
 * a client may omit.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#error-handling
 */
export function refusalOf({ method, params }: ServerRequest, capabilities: Fields): ProtocolError | undefined {
  const { sampling, elicitation, roots } = capabilities;
  switch (method) {
    case 'sampling/createMessage': {
      if (!isRecord(sampling)) return notFound(method);
      const wantsTools = params.tools !== undefined || params.toolChoice !== undefined;
      return wantsTools && sampling.tools === undefined ? invalid('sampling with tools') : undefined;
    }
    case 'elicitation/create': {
      if (!isRecord(elicitation)) return notFound(method);
      return supportsMode(params.mode, elicitation)
        ? undefined
        : invalid(`elicitation of mode "${modeOf(params.mode)}"`);
    }
    case 'roots/list':
      return isRecord(roots) ? undefined : notFound(method);
    default:
      return notFound(method);
  }
}

export function supportsUrls({ elicitation }: Fields): boolean {
  return isRecord(elicitation) && elicitation.url !== undefined;
}

/** True for a result of the right type. The server checks the details. */
export function isResponseTo({ method, params }: ServerRequest, answer: unknown): boolean {
  if (method === 'elicitation/create') return isSpecType.ElicitResult(answer);
  if (method === 'roots/list') return isSpecType.ListRootsResult(answer);
  const wantsTools = params.tools !== undefined || params.toolChoice !== undefined;
  return wantsTools ? isSpecType.CreateMessageResultWithTools(answer) : isSpecType.CreateMessageResult(answer);
}

/** A client that declares no modes supports forms, once the only mode. */
function supportsMode(mode: unknown, { form, url }: Fields): boolean {
  if (modeOf(mode) === 'url') return url !== undefined;
  return modeOf(mode) === 'form' && (form !== undefined || url === undefined);
}

function modeOf(mode: unknown): string {
  return mode === undefined ? 'form' : String(mode);
}

function notFound(method: string): ProtocolError {
  const message = `The client of this call does not support "${method}"`;
  return new ProtocolError(ProtocolErrorCode.MethodNotFound, message);
}

function invalid(what: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `The client of this call does not support ${what}`);
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
        throw error instanceof NoResponse ? noAnswer(asked) : error;
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
  return new ProtocolError(ProtocolErrorCode.InternalError, `The client of this call did not respond to "${method}"`);
}

/** Refuses all server requests, so that they reach no other client. */
export function silentHandler(client: unknown, owner: unknown): CallHandler {
  return { client, owner, capabilities: {}, answer: refuse };
}

export async function refuse({ method }: { readonly method: string }): Promise<never> {
  const message = `The client of this call cannot receive "${method}" during a request`;
  throw new ProtocolError(ProtocolErrorCode.MethodNotFound, message);
}
