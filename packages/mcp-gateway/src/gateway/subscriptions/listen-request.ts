import { isRecord } from '@x/internal/json';

/** The resources that a `subscriptions/listen` asks for; `undefined` if it asks for none, or is none. */
export function wantedUris(request: object): readonly unknown[] | undefined {
  const { method, params } = request as { readonly method?: unknown; readonly params?: unknown };
  if (method !== 'subscriptions/listen' || !isRecord(params) || !isRecord(params.notifications)) return undefined;
  const { resourceSubscriptions: uris } = params.notifications;
  return Array.isArray(uris) ? uris : undefined;
}

/**
 * The same request for what its client can have of that: the protocol library agrees to what it is asked for, and a stream
 * is to say what it has been opened for. What is no URI is left in, for the library to refuse.
 */
export function narrowed<Request extends object>(
  request: Request,
  fitting: (uris: readonly unknown[]) => readonly string[],
): Request {
  const uris = wantedUris(request);
  if (uris === undefined || uris.some((uri) => typeof uri !== 'string')) return request;
  const fit = fitting(uris);
  if (fit.length === uris.length) return request;
  const { params } = request as { readonly params: { readonly notifications: object } };
  return {
    ...request,
    params: { ...params, notifications: { ...params.notifications, resourceSubscriptions: fit } },
  };
}
