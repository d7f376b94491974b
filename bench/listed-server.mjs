// A server that offers the tools of one server of the evaluation set, for clients that list them: its name is the argument.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const data = new URL('../packages/mcp-registry/test/search/evaluation/data/tools.jsonl', import.meta.url);
const tools = readFileSync(data, 'utf8')
  .split('\n')
  .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  .filter(({ suite, server }) => suite === 'livemcp' && server === process.argv[2])
  .map(({ name, description, inputSchema = { type: 'object' } }) => ({ name, description, inputSchema }));

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: process.argv[2], version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const outcome = answer ? { result: answer(params ?? {}) } : { error: { code: -32_601, message: method } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
}
