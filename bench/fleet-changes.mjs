// Promise: another node sees a change of a server's tools within twice the time that a bare key-value store takes to
// show a change of an entry of the same size. The two nodes are processes of their own.
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AskedProcess } from './asked-process.mjs';
import { natsVersions, startNats } from './fleet-nats.mjs';
import { medianOf, numbersFrom, printConditions, printTable, ratioOf, spreadOf } from './measurement.mjs';

const { rounds: ROUNDS, changes: CHANGES, warm: WARM } = numbersFrom({ rounds: 7, changes: 30, warm: 300 });
const TOOLS = 50;
/** Long enough that a change meets nothing of the one before. */
const PAUSE_MS = 5;
const peer = 'bare KV, put until watched';
const whole = 'bare KV, with what is new in the entry, as JSON';

const nats = await startNats();
const [source, watcher] = ['source', 'watcher'].map(start);
await source.ask('offer', { url: nats.url, tools: TOOLS });
const { entryBytes } = await watcher.ask('watch', { url: nats.url });
await source.ask('prepare', { entryBytes });

await takeRound(TOOLS, WARM);
for (const [title, changed] of [
  [`One of ${TOOLS} tools is another, ms`, 1],
  [`All ${TOOLS} tools are others, ms`, TOOLS],
]) {
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) rounds.push(await takeRound(changed));
  printTable(title, tableOf(rounds.slice(1)));
}

for (const each of [watcher, source]) await each.close();
await nats.stop();
printConditions({
  how: [
    `${ROUNDS} rounds of ${CHANGES} changes, each a put and then a change of the fleet`,
    `an entry of ${entryBytes} bytes`,
    "the ratio is the median of the rounds' ratios",
  ],
  peers: natsVersions(['transport-node', 'kv']),
});

function start(name) {
  return new AskedProcess(fileURLToPath(new URL('fleet-changes-process.mjs', import.meta.url)), [name], {
    node: process.execPath,
  });
}

/** The median of each way, in ms. */
async function takeRound(changed, changes = CHANGES) {
  const times = {
    [peer]: [],
    [whole]: [],
    'bare KV, and then a request for what is new': [],
    '@x/mcp-fleet, announced': [],
    '@x/mcp-fleet, listed': [],
  };
  const [bare, carried, request, announced, listed] = Object.values(times);
  for (let change = 0; change < changes; change++) {
    const put = await seen('put', { changed });
    bare.push(put.announced);
    carried.push((await seen('putWhole', { changed })).complete);
    request.push(put.complete);
    const fleet = await seen('change', { changed });
    announced.push(fleet.announced);
    listed.push(fleet.complete);
  }
  return Object.fromEntries(Object.entries(times).map(([way, each]) => [way, medianOf(each)]));
}

/** How long after the change the watcher heard of it, and had it all, in ms. Both clocks are the system's one. */
async function seen(what, options) {
  await delay(PAUSE_MS);
  const { version } = await watcher.ask('expect', { what, ...options });
  const from = BigInt(await source.ask(what, { version, ...options }));
  const at = await watcher.ask('seen');
  return Object.fromEntries(Object.entries(at).map(([when, time]) => [when, Number(BigInt(time) - from) / 1e6]));
}

function tableOf(rounds) {
  const of = (way) => rounds.map((round) => round[way]);
  return [
    ['', 'median', 'middle half', 'ratio to bare'],
    ...Object.keys(rounds[0]).map((way) => [
      way,
      medianOf(of(way)).toFixed(2),
      spreadOf(of(way), 2),
      ratioOf(of(way), of(peer)).toFixed(2),
    ]),
  ];
}
