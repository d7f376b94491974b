// The MCP server that the extension brings along: it finds the TODOs of the project that `--root` names.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const { root } = parseArgs({ options: { root: { type: 'string', default: '.' } } }).values;
const isSignedIn = process.env.TRACKER_TOKEN?.startsWith('tracker-') === true;

serveStdio(() => {
  const server = new McpServer({ name: 'todo-finder', version: '1.0.0' });
  server.registerTool('list_todos', { description: 'Lists the TODOs of the project' }, async () => ({
    content: [{ type: 'text', text: JSON.stringify({ isSignedIn, todos: await findTodos() }) }],
  }));
  return server;
});

async function findTodos() {
  const entries = await readdir(root, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
  return files.flatMap((file, index) =>
    Array.from(texts[index].matchAll(/TODO: (.*)/g), ([, todo]) => `${file}: ${todo}`),
  );
}
