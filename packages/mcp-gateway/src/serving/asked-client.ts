import type { ServerRequest } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import type { OptionRows } from '@x/internal/options';

/** Who responds to requests of servers. */
export interface ServerRequestOptions {
  /**
   * Who responds to requests of servers during a call, and to approvals by elicitation. `client`: the client of the call,
   * if it declares elicitation or sampling; it is never asked for roots. `app`: the handlers of the app's own client
   * manager; approvals by elicitation are refused. Default `app`.
   */
  readonly serverRequests?: 'app' | 'client' | undefined;
}

export const serverRequestRows = {
  serverRequests: { kind: 'word', words: ['app', 'client'], default: 'app' },
} as const satisfies OptionRows<ServerRequestOptions>;

type Fields = Readonly<Record<string, unknown>>;

/** The error of a client for a server request. */
export interface ClientRefusal {
  readonly code: -32_601 | -32_602;
  readonly message: string;
}

/**
 * Returns the client's error for a server request whose capability it has not declared. Ignores `includeContext`, which
 * a client may omit.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#error-handling
 */
export function unsupported({ method, params }: ServerRequest, capabilities: Fields): ClientRefusal | undefined {
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

/** A client that declares no modes supports forms, once the only mode. */
function supportsMode(mode: unknown, { form, url }: Fields): boolean {
  if (modeOf(mode) === 'url') return url !== undefined;
  return modeOf(mode) === 'form' && (form !== undefined || url === undefined);
}

function modeOf(mode: unknown): string {
  return mode === undefined ? 'form' : String(mode);
}

function notFound(method: string): ClientRefusal {
  return { code: -32_601, message: `The client of this call does not support "${method}"` };
}

function invalid(what: string): ClientRefusal {
  return { code: -32_602, message: `The client of this call does not support ${what}` };
}

/** A server request as it is sent to a client. Drops `progressToken`: the progress would reach no one. */
export function forClient({ method, params }: ServerRequest): ServerRequest {
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

export function noResponseText({ method }: ServerRequest): string {
  return `The client of this call did not respond to "${method}"`;
}
