// An MCP server that records how it was started: `node stdio-probe.mjs <log> <name> [argument...]`.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [log, name, ...args] = process.argv.slice(2);
const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => key.startsWith('P_')));
appendFileSync(log, `${JSON.stringify({ name, args, env, cwd: process.cwd() })}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params) })}\n`);
}

function resultOf(method, params) {
  if (method === 'tools/list') return { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] };
  if (method !== 'initialize') return {};
  return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: '1' } };
}
