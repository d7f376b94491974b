import { setTimeout as delay } from 'node:timers/promises';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { say } from './sample-data.js';

/** Milliseconds per step: the suite expects separate messages. */
const stepMs = 50;

/** Tools that send messages before their result. */
export function addReportingTools(server: McpServer): void {
  server.registerTool('test_tool_with_logging', { description: 'Logs three times' }, async ({ mcpReq }) => {
    await mcpReq.log('info', 'Tool execution started');
    await delay(stepMs, undefined, { signal: mcpReq.signal });
    await mcpReq.log('info', 'Tool processing data');
    await delay(stepMs, undefined, { signal: mcpReq.signal });
    await mcpReq.log('info', 'Tool execution completed');
    return say('Tool with logging executed successfully');
  });
  server.registerTool('test_logging_tool', { description: 'Logs once, for who wants to know' }, async ({ mcpReq }) => {
    await mcpReq.log('info', 'Logging tool executed');
    return say('Logging tool executed successfully');
  });
  server.registerTool('test_tool_with_progress', { description: 'Reports its progress' }, async ({ mcpReq }) => {
    await tellProgress(mcpReq, 0);
    await delay(stepMs, undefined, { signal: mcpReq.signal });
    await tellProgress(mcpReq, 50);
    await delay(stepMs, undefined, { signal: mcpReq.signal });
    await tellProgress(mcpReq, 100);
    return say('Tool with progress executed successfully');
  });
  server.registerTool(
    'test_reconnection',
    { description: 'Closes its stream, so that the answer has to be fetched with another one' },
    async ({ http, mcpReq }) => {
      http?.closeSSE?.();
      await delay(2 * stepMs, undefined, { signal: mcpReq.signal });
      return say('Reconnection test completed successfully');
    },
  );
}

async function tellProgress(mcpReq: ServerContext['mcpReq'], progress: number): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
}
