// Promise: a call of a tool on another node takes at most twice the time of a bare NATS request of the same size. The edge
// and the owner are processes of their own; in the edge the ways take turns, one call each.
import { fileURLToPath } from 'node:url';
import { AskedProcess } from './asked-process.mjs';
import { natsVersions, startNats } from './fleet-nats.mjs';
import { medianOf, numbersFrom, printConditions, printTable, ratioOf, spreadOf } from './measurement.mjs';

const { rounds: ROUNDS, calls: CALLS, warm: WARM } = numbersFrom({ rounds: 7, calls: 700, warm: 3_000 });
/** What the tool answers with, and how many calls of it take a round. A server takes no message above 1 MiB. */
const loads = [
  { size: '100 B', bytes: 100, calls: CALLS },
  { size: '10 KB', bytes: 10_000, calls: CALLS },
  { size: '300 KB', bytes: 300_000, calls: Math.ceil(CALLS / 10) },
  { size: '300 KB in small parts', bytes: 300_000, calls: Math.ceil(CALLS / 10), inRows: true },
  { size: '5 MB', bytes: 5_000_000, calls: Math.ceil(CALLS / 50) },
];

const nats = await startNats();
const [owner, edge] = ['owner', 'edge'].map(start);
await owner.ask('offer', { url: nats.url });
await edge.ask('find', { url: nats.url });
await edge.ask('measure', { bytes: 100, calls: WARM });

for (const { size, ...load } of loads) {
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) rounds.push(await edge.ask('measure', load));
  printTable(`A result of ${size}, µs`, tableOf(rounds.slice(1)));
}

for (const each of [edge, owner]) await each.close();
await nats.stop();
printConditions({
  how: [
    `${ROUNDS} rounds of ${loads.map(({ size, calls }) => `${calls} calls (${size})`).join(', ')}`,
    "the ratio is the median of the rounds' ratios of p50",
  ],
  peers: natsVersions(),
});

function start(name) {
  return new AskedProcess(fileURLToPath(new URL('fleet-calls-process.mjs', import.meta.url)), [name], {
    node: process.execPath,
  });
}

function tableOf(rounds) {
  const [peer, ...others] = Object.keys(rounds[0]);
  const of = (way, key) => rounds.map((round) => round[way][key]);
  return [
    ['', 'p50', 'middle half', 'p99', 'ratio to bare'],
    ...[peer, ...others].map((way) => [
      way,
      medianOf(of(way, 'p50')).toFixed(0),
      spreadOf(of(way, 'p50'), 0),
      medianOf(of(way, 'p99')).toFixed(0),
      ratioOf(of(way, 'p50'), of(peer, 'p50')).toFixed(2),
    ]),
  ];
}
