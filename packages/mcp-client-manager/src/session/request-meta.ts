import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/client';

/** What a caller may send along with a request. */
export interface RequestMetaOptions {
  /** Sent along as `_meta`, such as `traceparent`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** The one under which the request's progress is told. Wins over one in `meta`. */
  readonly progressToken?: number | undefined;
  /** Of the client that the request is made for; from revision 2026-07-28 on. Wins over those in `meta`. */
  readonly clientCapabilities?: Readonly<Record<string, unknown>> | undefined;
}

/** The part of a request's `params` that is not about the request itself. Empty when there is nothing to say. */
export function requestMeta({ meta, progressToken, clientCapabilities }: RequestMetaOptions): {
  readonly _meta?: Readonly<Record<string, unknown>>;
} {
  if (meta === undefined && progressToken === undefined && clientCapabilities === undefined) return {};
  return {
    _meta: {
      ...meta,
      ...(progressToken !== undefined && { progressToken }),
      ...(clientCapabilities && { [CLIENT_CAPABILITIES_META_KEY]: clientCapabilities }),
    },
  };
}
