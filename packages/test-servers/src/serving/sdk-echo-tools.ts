import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';

/** Registers `echo` and `pid` on a server of the official SDK. */
export function addEchoTools(server: McpServer): void {
  const inputSchema = fromJsonSchema<{ text: string }>({
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
  });
  server.registerTool('echo', { description: 'Echo a text', inputSchema }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  server.registerTool('pid', { description: 'The process id of this server' }, () => ({
    content: [{ type: 'text', text: String(process.pid) }],
  }));
}
