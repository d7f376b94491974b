import type { CallToolOptions, ToolProgress } from '@x/internal/contracts';

/** The required part of a client's request, in each SDK. */
export interface ClientCall {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  /** Notifies the client during its request. */
  notify(notification: { method: 'notifications/progress'; params: Record<string, unknown> }): Promise<void>;
}

/** Options from a client's request: its signal, its progress, and its `_meta`, such as `traceparent`. */
export function callOptionsOf(call: ClientCall): CallToolOptions {
  const { progressToken, ...meta } = call._meta ?? {};
  return {
    signal: call.signal,
    ...(Object.keys(meta).length > 0 && { meta }),
    ...(progressToken !== undefined && {
      onProgress: (progress: ToolProgress) => {
        const params = { ...progress, progressToken };
        // Fails only if the connection, and with it the requester, is gone.
        call.notify({ method: 'notifications/progress', params }).catch(() => undefined);
      },
    }),
  };
}
