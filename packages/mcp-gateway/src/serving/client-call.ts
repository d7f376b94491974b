import type { CallToolOptions, ToolProgress } from '@x/internal/contracts';

/** The part of a client's request that both SDKs have. */
export interface ClientCall {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  notify(notification: { method: 'notifications/progress'; params: Record<string, unknown> }): Promise<void>;
}

export function callOptionsOf(call: ClientCall): CallToolOptions {
  const { progressToken, ...meta } = call._meta ?? {};
  return {
    signal: call.signal,
    ...(Object.keys(meta).length > 0 && { meta }),
    ...(progressToken !== undefined && {
      onProgress: (progress: ToolProgress) => {
        const params = { ...progress, progressToken };
        // The connection is gone.
        call.notify({ method: 'notifications/progress', params }).catch(() => undefined);
      },
    }),
  };
}
