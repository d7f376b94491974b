import type { ServerContext } from '@modelcontextprotocol/server';
import type { CallToolOptions, ToolProgress } from '../source.js';

/** What goes along with a client's request: its end, its progress, and its `_meta`, such as `traceparent`. */
export function optionsFrom({ mcpReq }: ServerContext): CallToolOptions {
  const { progressToken, ...meta } = mcpReq._meta ?? {};
  return {
    signal: mcpReq.signal,
    ...(Object.keys(meta).length > 0 && { meta }),
    ...(progressToken !== undefined && {
      onProgress: (progress: ToolProgress) => {
        const params = { ...progress, progressToken };
        // Fails only when the connection is gone, and with it the one who asked.
        mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
      },
    }),
  };
}
