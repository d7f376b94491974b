// A server for `faults.mjs`: a small MCP server without a library. `effect` writes a line into --file and dies before it
// answers; `environment` names the variables that it was given; `pid` names its process.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const { file } = parseArgs({ options: { file: { type: 'string' } } }).values;
const tools = {
  pid: () => String(process.pid),
  environment: () => Object.keys(process.env).join(' '),
  effect: () => {
    appendFileSync(file, 'done\n');
    process.exit(1);
  },
};
const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'faults', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: tools[name]() }] }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const run = methods[method];
  const answer = run ? { result: run(params) } : { error: { code: -32601, message: `There is no ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
