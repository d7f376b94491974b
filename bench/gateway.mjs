// Promise: a gateway in between adds less than half of what the best peer adds to a call, and has twice its throughput.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AskedProcess } from './asked-process.mjs';
import { waysTo } from './gateway-ways.mjs';
import { interleaved, medianOf, printConditions, printTable } from './measurement.mjs';
import { gatewayPeers, installPeers, versionOf } from './peers.mjs';
import { processorTimeOf } from './process-time.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    calls: { type: 'string', default: '1000' },
    warm: { type: 'string', default: '30000' },
    client: { type: 'string', multiple: true },
    load: { type: 'string', multiple: true },
  },
});
const rounds = Number(values.rounds);
const calls = Number(values.calls);
const ours = ['@x/mcp-registry', 'mcpx serve'];
/** What a way is held against, and the least that one through a gateway could be. */
const bounds = ['direct', 'bare hop'];

/** Who calls, over what, and which ways there are for such a client. */
const rows = [
  { caller: 'raw, 2025', over: 'http', through: [...bounds, ...ours, 'mcp-proxy', 'mcp-hub'] },
  { caller: 'raw, 2026', over: 'http', through: [...bounds, ...ours, 'mcp-proxy'] },
  { caller: 'sdk 1.x', over: 'http', through: [...bounds, ...ours, 'mcp-proxy', 'mcp-hub'] },
  { caller: 'sdk 2.x', over: 'http', through: [...bounds, ...ours, 'mcp-proxy'] },
  { caller: 'raw, 2025', over: 'stdio', through: ['direct', ...ours] },
  { caller: 'sdk 2.x', over: 'stdio', through: ['direct', ...ours] },
].filter(({ caller, over }) => values.client?.includes(`${caller}, ${over}`) ?? true);

/** What is called: first one after the other, then at once. */
const loads = {
  'small call': [
    { calls, inFlight: 1 },
    { calls: calls * 2, inFlight: 64 },
  ],
  '1 MB result': [
    { calls: 20, inFlight: 1, bytes: 1_000_000 },
    { calls: 128, inFlight: 64, bytes: 1_000_000 },
  ],
};
const head = [
  '',
  'p50 µs',
  'p99 µs',
  'added to p50',
  'added: ratio to the best peer',
  'processor µs a call',
  'calls/s, 64 in flight',
  'calls/s: ratio to the best peer',
  'processor µs a call, 64 in flight',
];

const { folder, node } = installPeers(gatewayPeers);
for (const file of ['gateway-caller-process.mjs', 'gateway-callers.mjs', 'raw-links.mjs', 'answer-parent.mjs']) {
  copyFileSync(fileURLToPath(new URL(file, import.meta.url)), join(folder, file));
}
const ways = waysTo({ node, folder });
const opened = [];
try {
  for (const row of rows) await openRow(row);
  for (const row of rows) for (const [title, pair] of Object.entries(loads)) await measure(row, title, pair);
} finally {
  for (const close of opened.reverse()) await close();
}
const packages = Object.keys(gatewayPeers).filter((name) => name !== 'node');
printConditions({
  node: gatewayPeers.node,
  how: [`${rounds} interleaved rounds after ${Number(values.warm).toLocaleString('en')} calls`],
  peers: packages.map(named),
});

/** Each client has a process of its own, and so has each gateway that it calls through. */
async function openRow(row) {
  row.clients = new Map();
  for (const name of row.through) {
    const way = await ways[name][row.over]();
    opened.push(() => way.close());
    const client = new AskedProcess(join(folder, 'gateway-caller-process.mjs'), [], { cwd: folder, node });
    const pid = await client.ask('open', { caller: row.caller, target: way.target });
    opened.push(() => client.close());
    // A gateway runs for days. Code that runs for the first time costs several times as much, and of ours there is more.
    await client.ask('run', { calls: Number(values.warm), inFlight: 64 });
    row.clients.set(name, { client, pid: way.pid ?? pid });
  }
}

async function measure({ caller, over, through, clients }, title, [oneByOne, atOnce]) {
  if (values.load !== undefined && !values.load.includes(title)) return;
  const measuredWith = (load) =>
    interleaved(Object.fromEntries(through.map((name) => [name, () => run(clients.get(name), load)])), rounds);
  const single = await measuredWith(oneByOne);
  const many = await measuredWith(atOnce);

  const of = (measured, name, what) => medianOf(measured.get(name).map((each) => each[what]));
  const direct = single.get('direct');
  const added = (name) => medianOf(single.get(name).map(({ p50 }, round) => p50 - direct[round].p50));
  const peers = through.filter((name) => ![...bounds, ...ours].includes(name));
  const leastAdded = Math.min(...peers.map(added));
  const most = Math.max(...peers.map((name) => of(many, name, 'perSecond')));
  const comparable = (name) => name !== 'direct' && peers.length > 0;
  const processor = (measured, name) => {
    const used = of(measured, name, 'processor');
    return Number.isFinite(used) ? used.toFixed(0) : '';
  };
  const lines = through.map((name) => [
    name,
    of(single, name, 'p50').toFixed(0),
    of(single, name, 'p99').toFixed(0),
    name === 'direct' ? '' : added(name).toFixed(0),
    comparable(name) ? (added(name) / leastAdded).toFixed(2) : '',
    processor(single, name),
    of(many, name, 'perSecond').toFixed(0),
    comparable(name) ? (of(many, name, 'perSecond') / most).toFixed(2) : '',
    processor(many, name),
  ]);
  printTable(`${caller} over ${over}, ${title}`, [head, ...lines]);
}

/** Also the processor time of what stands in between, for each call. */
async function run({ client, pid }, load) {
  const before = processorTimeOf(pid);
  const result = await client.ask('run', load);
  return { ...result, processor: (processorTimeOf(pid) - before) / load.calls };
}

function named(name) {
  return `${name} ${versionOf(folder, name)}`;
}
