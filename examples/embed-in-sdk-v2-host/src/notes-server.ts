import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** What the app had before: an MCP server of SDK 2.x. Nothing in it knows of the registry. */
export function createNotesServer(): McpServer {
  const notes: string[] = [];
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  server.registerTool('list_notes', { description: 'Lists all notes.', annotations: { readOnlyHint: true } }, () => ({
    content: [{ type: 'text', text: notes.join('\n') }],
  }));
  server.registerTool(
    'add_note',
    { description: 'Writes a note down.', inputSchema: z.object({ text: z.string().min(1) }) },
    ({ text }) => ({ content: [{ type: 'text', text: `note ${notes.push(text)}` }] }),
  );
  return server;
}
