/** What a caller may send along with a request. */
export interface RequestMetaOptions {
  /** Sent along as `_meta`, such as `traceparent`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** The one under which the request's progress is told. Wins over one in `meta`. */
  readonly progressToken?: number | undefined;
}

/** The part of a request's `params` that is not about the request itself. Empty when there is nothing to say. */
export function requestMeta({ meta, progressToken }: RequestMetaOptions): {
  readonly _meta?: Readonly<Record<string, unknown>>;
} {
  if (meta === undefined && progressToken === undefined) return {};
  return { _meta: { ...meta, ...(progressToken !== undefined && { progressToken }) } };
}
