// An MCP server without dependencies. Each tool shows what reached its process; `SERVER_HABIT` is one bad habit.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const lineEnd = process.env.SERVER_HABIT === 'crlf' ? '\r\n' : '\n';
const isDeaf = process.env.SERVER_HABIT === 'stays after the end of its input';

const tools = {
  greet: ({ name }) => `Hello, ${name}`,
  args: () => JSON.stringify(process.argv.slice(2)),
  variable: ({ name }) => JSON.stringify(process.env[name] ?? null),
  folder: () => process.cwd(),
  flood: async ({ lines }) => {
    const line = `${'x'.repeat(200)}\n`;
    for (let index = 0; index < lines; index += 1) {
      if (!process.stderr.write(line)) await new Promise((resolve) => process.stderr.once('drain', resolve));
    }
    return `${lines} lines`;
  },
  /** The numbers of a process and of its child. */
  children: async () => {
    const child = spawn(process.execPath, ['-e', parent], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [grandchild] = await once(createInterface({ input: child.stdout }), 'line');
    return JSON.stringify([child.pid, Number(grandchild)]);
  },
};

const parent = `const stays = 'setInterval(() => {}, 1000)';
const { pid } = require('node:child_process').spawn(process.execPath, ['-e', stays], { stdio: 'ignore' });
console.log(pid);
eval(stays);`;

const inputSchema = { type: 'object' };
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'guest', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: Object.keys(tools).map((name) => ({ name, description: `Shows ${name}`, inputSchema })),
  }),
  'tools/call': async ({ name, arguments: args = {} }) => ({
    content: [{ type: 'text', text: await tools[name](args) }],
  }),
};

if (isDeaf) setInterval(() => {}, 1_000);
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = await answers[method]?.(params);
  const outcome = result ? { result } : { error: { code: -32601, message: `Method not found: ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}${lineEnd}`);
});
