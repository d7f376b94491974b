import type { CallToolOptions, ToolProgress } from '@x/internal/contracts';

/** What is needed of a client's request, as each SDK gives it. */
export interface ClientCall {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  /** Tells the client something while its request is answered. */
  notify(notification: { method: 'notifications/progress'; params: Record<string, unknown> }): Promise<void>;
}

/** What goes along with a client's request: its end, its progress, and its `_meta`, such as `traceparent`. */
export function callOptionsOf(call: ClientCall): CallToolOptions {
  const { progressToken, ...meta } = call._meta ?? {};
  return {
    signal: call.signal,
    ...(Object.keys(meta).length > 0 && { meta }),
    ...(progressToken !== undefined && {
      onProgress: (progress: ToolProgress) => {
        const params = { ...progress, progressToken };
        // Fails only when the connection is gone, and with it the one who asked.
        call.notify({ method: 'notifications/progress', params }).catch(() => undefined);
      },
    }),
  };
}
