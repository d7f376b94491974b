// Promise: what a fleet costs at rest grows in proportion to its nodes and not with its tools, and a search takes less than
// 50 ms with the tools of 100 nodes. Fleets of 10, 30 and 100 nodes with 500 tools each, ten nodes a process; the one who
// joins, lists and searches is a process of its own.
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AskedProcess } from './asked-process.mjs';
import { natsVersions, startNats } from './fleet-nats.mjs';
import { printConditions, printTable } from './measurement.mjs';
import { processorTimeOf } from './process-time.mjs';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', multiple: true, default: ['10', '30', '100'] },
    heartbeats: { type: 'string', default: '5' },
    searches: { type: 'string', default: '200' },
  },
});
const sizes = values.nodes.map(Number).toSorted((a, b) => a - b);
const [fewest, most] = [Math.min(...sizes), Math.max(...sizes)];
const SERVERS = 5;
const [MANY, FEW] = [100, 10];
const NODES_A_PROCESS = 10;
const HEARTBEAT_MS = 5_000; // the fleet's default
const SETTLE_MS = 1_000;
/** How often it is looked whether somebody beats, in milliseconds. */
const BEAT_LOOK_MS = 100;
const restMs = Number(values.heartbeats) * HEARTBEAT_MS;

const different = new Map();
const same = new Map();
const atRest = { [MANY]: new Map(), [FEW]: new Map() };
const fleets = [];
for (const nodes of sizes) {
  const fleet = await startFleet({ nodes, tools: MANY, areSame: false });
  different.set(nodes, await newcomer(fleet));
  fleets.push(fleet);
}
await restTogether(fleets);
for (const nodes of sizes) {
  const fleet = await startFleet({ nodes, tools: MANY, areSame: true });
  same.set(nodes, await newcomer(fleet));
  await fleet.stop();
}
for (const nodes of sizes) fleets.push(await startFleet({ nodes, tools: FEW, areSame: false }));
await restTogether(fleets);

const each = [
  ['joined, ms', ({ joinedMs }) => joinedMs.toFixed(0)],
  ['all listed, ms', ({ listedMs }) => listedMs.toFixed(0)],
  ['all in its registry, ms', ({ attachedMs }) => attachedMs.toFixed(0)],
  ['heap of the replica, MB', ({ heap }) => megabytes(heap)],
  ['resident more, MB', ({ resident }) => megabytes(resident)],
  ['heap with the registry, MB', ({ heapWithRegistry }) => megabytes(heapWithRegistry)],
  ['search p50, ms', ({ searchMs }) => searchMs.toFixed(2)],
];
for (const [title, results] of [
  ['A newcomer, each server with tools of its own', different],
  ['A newcomer, the same five servers on every node', same],
]) {
  const rows = Array.from(results, ([nodes, result]) => [
    nodes,
    result.tools.toLocaleString('en'),
    ...each.map(([, cell]) => cell(result)),
  ]);
  printTable(title, [['nodes', 'tools', ...each.map(([name]) => name)], ...rows]);
}

const counted = [
  ['published a second', ({ published }) => published, 1],
  ['delivered a second', ({ delivered }) => delivered, 0],
  ['published a second and node', ({ published }, nodes) => published / nodes, 3],
  ['delivered a second and node', ({ delivered }, nodes) => delivered / nodes, 1],
  ['kB a second and node', ({ deliveredBytes }, nodes) => deliveredBytes / nodes / 1_000, 1],
  [
    'processor of a node',
    ({ processor }, nodes) => (processor === undefined ? undefined : (processor / nodes) * 100),
    2,
  ],
  ['processor of the server', ({ server }) => (server === undefined ? undefined : server * 100), 1],
];
const restRows = [MANY, FEW].flatMap((tools) =>
  Array.from(atRest[tools], ([nodes, result]) => [
    nodes,
    tools * SERVERS,
    ...counted.map(([name, number, digits]) => {
      const value = number(result, nodes);
      if (value === undefined) return '';
      return name.startsWith('processor') ? `${value.toFixed(digits)} %` : value.toFixed(digits);
    }),
  ]),
);
printTable('At rest', [['nodes', 'tools a node', ...counted.map(([name]) => name)], ...restRows]);

if (most > fewest) {
  const factor = (results, number) =>
    (number(results.get(most), most) / number(results.get(fewest), fewest)).toFixed(2);
  const rest = atRest[MANY];
  printTable(`With ${most / fewest} times the nodes`, [
    ['', 'times as much'],
    ['messages published', factor(rest, ({ published }) => published)],
    ['messages delivered', factor(rest, ({ delivered }) => delivered)],
    ['messages delivered to one node', factor(rest, ({ delivered }, nodes) => delivered / nodes)],
    ...[
      ['time until all is listed', ({ listedMs }) => listedMs],
      ['heap of the replica', ({ heap }) => heap],
      ['search', ({ searchMs }) => searchMs],
    ].flatMap(([name, number]) => [
      [`${name}, all tools different`, factor(different, number)],
      [`${name}, the same tools everywhere`, factor(same, number)],
    ]),
  ]);
}
printTable(`With ${MANY / FEW} times the tools, at rest`, [
  ['nodes', 'messages published', 'messages delivered', 'bytes delivered'],
  ...sizes.map((nodes) => [
    nodes,
    ...['published', 'delivered', 'deliveredBytes'].map((key) =>
      (atRest[MANY].get(nodes)[key] / atRest[FEW].get(nodes)[key]).toFixed(2),
    ),
  ]),
]);
printConditions({
  how: [
    `${SERVERS} servers a node`,
    `${NODES_A_PROCESS} nodes a process, each with its own connection`,
    `at rest: ${values.heartbeats} heartbeats of ${HEARTBEAT_MS / 1_000} s`,
    `${values.searches} searches for 10 tools`,
  ],
  peers: natsVersions(),
});

async function startFleet({ nodes, tools, areSame }) {
  const nats = await startNats();
  const processes = Array.from({ length: Math.ceil(nodes / NODES_A_PROCESS) }, start);
  const shared = { url: nats.url, nodes, servers: SERVERS, tools, areSame };
  await Promise.all(
    processes.map((each, at) =>
      each.ask('open', {
        ...shared,
        from: at * NODES_A_PROCESS,
        count: Math.min(NODES_A_PROCESS, nodes - at * NODES_A_PROCESS),
      }),
    ),
  );
  await Promise.all(processes.map((each) => each.ask('all', shared)));
  return {
    ...shared,
    nats,
    processes,
    stop: async () => {
      for (const each of processes) each.kill();
      await nats.stop();
    },
  };
}

function start() {
  return new AskedProcess(fileURLToPath(new URL('fleet-size-process.mjs', import.meta.url)), [], {
    node: process.execPath,
  });
}

/** One node more, with nothing of its own. */
async function newcomer(fleet) {
  await delay(SETTLE_MS);
  const process = start();
  const { url, nodes, servers, tools } = fleet;
  const result = await process.ask('join', { url, nodes, servers, tools, searches: Number(values.searches) });
  await process.close();
  return result;
}

/** Counts are not disturbed by what else there is: each fleet has a server of its own. Ends the fleets. */
async function restTogether(fleets) {
  const counts = await Promise.all(fleets.map(rest));
  for (const [at, { nodes, tools }] of fleets.entries()) atRest[tools].set(nodes, counts[at]);
  for (const fleet of fleets.splice(0)) await fleet.stop();
}

/** What the server counts while nobody does anything, and what each process takes: all a second. */
async function rest({ nats, processes }) {
  await delay(SETTLE_MS);
  const look = async () => ({
    ...(await nats.counts()),
    at: performance.now(),
    processor: sum(processes.map(({ pid }) => processorTimeOf(pid))),
    server: processorTimeOf(nats.pid),
  });
  await betweenBeats(nats);
  const before = await look();
  await delay(restMs);
  const after = await look();
  const seconds = (after.at - before.at) / 1_000;
  const rate = (key) => (after[key] - before[key]) / seconds;
  const share = (key) => (before[key] === undefined ? undefined : rate(key) / 1e6);
  return {
    published: rate('in_msgs'),
    delivered: rate('out_msgs'),
    deliveredBytes: rate('out_bytes'),
    processor: share('processor'),
    server: share('server'),
  };
}

/**
 * Nodes that began together beat together: a count that begins or ends in the middle of their beats has one beat of some nodes
 * too many or too few. Watches one heartbeat, and waits for the middle of its longest silence.
 */
async function betweenBeats(nats) {
  const startedAt = performance.now();
  const changes = [0];
  let { in_msgs: seen } = await nats.counts();
  for (let at = 0; at < HEARTBEAT_MS; at = performance.now() - startedAt) {
    await delay(BEAT_LOOK_MS);
    const { in_msgs: now } = await nats.counts();
    if (now !== seen) changes.push(performance.now() - startedAt);
    seen = now;
  }
  changes.push(HEARTBEAT_MS + (changes[1] ?? 0));
  const gaps = changes.slice(1).map((change, index) => ({ from: changes[index], length: change - changes[index] }));
  const { from, length } = gaps.reduce((longest, gap) => (gap.length > longest.length ? gap : longest));
  const middle = from + length / 2;
  const target = startedAt + middle + (middle < HEARTBEAT_MS ? HEARTBEAT_MS : 0);
  await delay(Math.max(0, target - performance.now()));
}

function sum(numbers) {
  return numbers.includes(undefined) ? undefined : numbers.reduce((total, number) => total + number, 0);
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}
