// An MCP server of the app: it works as long as it is asked to, and stops when its call is cancelled.
import { setTimeout as pause } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const pageMs = 20;
const title = process.env.REPORT_TITLE;

serveStdio(() => {
  const server = new McpServer({ name: 'reports', version: '1.0.0' });
  const inputSchema = z.object({ pages: z.number().int().positive() });
  server.registerTool('make_report', { description: 'Makes a report', inputSchema }, async ({ pages }, { mcpReq }) => {
    console.error(`begins ${pages} pages`);
    try {
      for (let page = 1; page <= pages; page += 1) await pause(pageMs, undefined, { signal: mcpReq.signal });
    } catch (error) {
      console.error(`cancelled ${pages} pages`);
      throw error;
    }
    return { content: [{ type: 'text', text: `${title}: ${pages} pages` }] };
  });
  return server;
});
