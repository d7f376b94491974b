// What the registry adds to a call, what a swap of tools costs, and what a check of arguments costs.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createRegistry } from '../packages/mcp-registry/dist/index.js';
import { interleaved, medianOf, numbersFrom, printConditions, printTable, ratioOf, spreadOf } from './measurement.mjs';

const packageRequire = createRequire(new URL('../packages/mcp-gateway/package.json', import.meta.url));
const load = (name) => import(packageRequire.resolve(name));
const versionOf = (name) => {
  const folder = packageRequire.resolve.paths(name).map((path) => join(path, name));
  const manifest = folder.map((path) => join(path, 'package.json')).find((file) => existsSync(file));
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
};
const { Client } = await load('@modelcontextprotocol/client');
const { InMemoryTransport, McpServer } = await load('@modelcontextprotocol/server');
const { z } = await load('zod');

const { rounds: ROUNDS } = numbersFrom({ rounds: 25 });
const CALLS = 2_000;

const inputSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    mode: { enum: ['read', 'write'] },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['path'],
  additionalProperties: false,
};
const zodSchema = z.strictObject({
  path: z.string().min(1),
  limit: z.int().min(1).max(100).optional(),
  mode: z.enum(['read', 'write']).optional(),
  tags: z.array(z.string()).optional(),
});
const args = { path: 'README.md', limit: 10, mode: 'read', tags: ['a', 'b'] };
const result = { content: [{ type: 'text', text: 'done' }] };
const work = async () => result;

function withTool(options, schema) {
  const registry = createRegistry(options);
  registry.register({ name: 'work', description: 'Works', inputSchema: schema }, work);
  return () => registry.call('work', args);
}

async function throughSdk() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  server.registerTool('work', { description: 'Works', inputSchema: zodSchema }, work);
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return { call: () => client.callTool({ name: 'work', arguments: args }), close: () => client.close() };
}

/** Microseconds for one call, one after the other. */
async function timeCalls(call) {
  const answer = await call();
  if (answer.content[0].text !== 'done') throw new Error(`not the same result: ${JSON.stringify(answer)}`);
  const start = performance.now();
  for (let index = 0; index < CALLS; index++) await call();
  return ((performance.now() - start) * 1_000) / CALLS;
}

const sdk = await throughSdk();
const contenders = {
  'the function itself': () => work(args),
  'registry.call, not checked': withTool({ validateArguments: false }, inputSchema),
  'registry.call, JSON Schema checked': withTool({}, inputSchema),
  'registry.call, zod schema': withTool({}, zodSchema),
  'SDK 2.x client and McpServer in memory': sdk.call,
};
const measured = await interleaved(
  Object.fromEntries(Object.entries(contenders).map(([name, call]) => [name, () => timeCalls(call)])),
  ROUNDS,
);
await sdk.close();
const peer = measured.get('SDK 2.x client and McpServer in memory');
printTable('A call of a native tool that does nothing, µs', [
  ['', 'median', 'middle half', 'ratio to the SDK'],
  ...Array.from(measured, ([name, values]) => [
    name,
    medianOf(values).toFixed(2),
    spreadOf(values, 2),
    ratioOf(values, peer).toFixed(2),
  ]),
]);

function server(name, count) {
  const tools = Array.from({ length: count }, (_, index) => ({
    name: `tool_${index}`,
    description: `Does the work number ${index} of ${name} with everything that belongs to it`,
    inputSchema,
    annotations: { readOnlyHint: true },
  }));
  return { name, listTools: () => tools, callTool: work };
}

/** Milliseconds to put in a server of 50 tools, with the events and reads of six views. */
function timeSwaps(total) {
  const roles = Array.from({ length: 5 }, (_, role) => ({
    role: `r${role}`,
    allowedTools: [`server-*${role}.*`, 'extra.*'],
  }));
  const registry = createRegistry({ roles });
  for (let index = 0; index < total / 50; index++) registry.attach(server(`server-${index}`, 50));
  const views = [registry, ...roles.map(({ role }) => registry.view({ role }))];
  for (const view of views) view.events.on('tools-changed', () => {});
  const times = [];
  for (let round = 0; round < 60; round++) {
    const extra = server('extra', 50);
    const start = performance.now();
    const attachment = registry.attach(extra);
    const seen = views.map((view) => view.get('mcp__extra__tool_7') !== undefined);
    times.push(performance.now() - start);
    if (!seen[0]) throw new Error('the tools are not there');
    attachment[Symbol.dispose]();
  }
  return times.slice(10);
}

const swaps = [1_000, 10_000, 50_000].map((total) => [total, timeSwaps(total)]);
printTable('Putting in a server of 50 tools, with five role views that listen, ms', [
  ['tools in the registry', 'median', 'middle half'],
  ...swaps.map(([total, times]) => [total.toLocaleString('en'), medianOf(times).toFixed(2), spreadOf(times, 2)]),
]);

async function timeLargeServer() {
  const registry = createRegistry();
  const large = server('large', 50_000);
  let [longest, last] = [0, performance.now()];
  const pulse = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  const start = performance.now();
  await registry.attach(large).ready;
  const ready = performance.now() - start;
  await new Promise((resolve) => setTimeout(resolve, 5));
  clearInterval(pulse);
  await registry.close();
  return { ready, longest };
}
const large = [];
for (let round = 0; round < 4; round++) large.push(await timeLargeServer());
printTable('One server with 50,000 tools, ms', [
  ['', 'median'],
  ['until its tools are there', medianOf(large.slice(1).map(({ ready }) => ready)).toFixed(0)],
  ['longest time in which nothing else ran', medianOf(large.slice(1).map(({ longest }) => longest)).toFixed(0)],
]);
printConditions({
  how: [`${ROUNDS} interleaved rounds of ${CALLS} calls`, "the ratio is the median of the rounds' ratios"],
  peers: ['client', 'server'].map(
    (name) => `@modelcontextprotocol/${name} ${versionOf(`@modelcontextprotocol/${name}`)}`,
  ),
});
