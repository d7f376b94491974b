// Promise: a thousand clients that are there at once are all served, for a minute: no error, memory that stays where it is,
// and nothing left of them when they have gone. Half of them are in sessions of the revisions before 2026-07-28, half send
// requests of that one; each keeps a stream of changes open, calls one time after the other, now and then goes away under a
// call, and now and then ends all it has and begins anew. Measures the gateway alone: the clients are the least that there
// can be, and the server behind it answers at once.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AskedProcess } from './asked-process.mjs';
import { printConditions, printTable } from './measurement.mjs';
import { gatewayPeers, installPeers } from './peers.mjs';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '60' },
    samples: { type: 'string', default: '6' },
  },
});
const count = Number(values.clients);
const samples = Number(values.samples);
/** What may be left when all have gone, compared with what there was before they came, once, to warm up. */
const allowed = { heapKb: 4_096, connections: 0, openFiles: 0, protocolServers: 0, streams: 0, timers: 0 };

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const { folder, node } = installPeers(gatewayPeers);
for (const file of ['gateway-crowd.mjs', 'raw-links.mjs', 'answer-parent.mjs'])
  copyFileSync(here(file), join(folder, file));
const token = 'what-a-gateway-on-loopback-asks-for';
const server = {
  name: 's0',
  command: node,
  args: [here('minimal-server.mjs')],
  autoStart: true,
  limits: { maxConcurrentCalls: 64, maxQueuedCalls: count }, // each client may have one that waits
};
// What tells of the number of objects of a class is an experiment of the engine's.
const env = { ...process.env, GATEWAY_TOKEN: token, NODE_OPTIONS: '--disable-warning=ExperimentalWarning' };
const gateway = new AskedProcess(here('gateway-held-process.mjs'), [JSON.stringify(server)], {
  cwd: folder,
  node,
  env,
});
const url = await gateway.ask('url');
const rows = [];
let failures = [];

await visit(Math.ceil(count / 10), [2], () => undefined); // what is made once and kept
const before = await sample('before the clients');
await visit(count, Array(samples).fill(Number(values.seconds) / samples), sample);
const after = await sample('all have gone');
await gateway.close();

const heads = ['connections', 'open files', 'protocol servers', 'streams', 'timers', 'heap kB', 'resident kB'];
printTable('What the gateway holds', [['', 'calls', 'lists', 'left', 'reopened', 'failures', ...heads], ...rows]);
const left = Object.entries(allowed).filter(([what, most]) => after[what] - before[what] > most);
for (const [what] of left) console.log(`Left behind: ${what}, ${before[what]} before and ${after[what]} after\n`);
for (const failure of failures.slice(0, 10)) console.log(`Failed: ${failure}\n`);
printConditions({ node: gatewayPeers.node, how: [`${count} clients for ${values.seconds} s`] });
if (failures.length > 0 || left.length > 0) process.exitCode = 1;

/** So many clients come, work for the given times, and go. */
async function visit(clients, times, onSample) {
  const crowd = new AskedProcess(join(folder, 'gateway-crowd.mjs'), [], { cwd: folder, node });
  await crowd.ask('open', { url, headers: { authorization: `Bearer ${token}` }, count: clients });
  await onSample('all are there');
  for (const seconds of times) {
    const done = await crowd.ask('work', { seconds });
    failures = done.failures;
    await onSample('at work', done);
  }
  failures = (await crowd.ask('leave')).failures;
  await crowd.close();
  await settled();
}

/** The other ends of connections are told of by the system, a little later. */
async function settled() {
  for (let attempt = 0; attempt < 50; attempt++) {
    if ((await gateway.ask('held')).connections === 0) return;
    await delay(100);
  }
}

async function sample(when, { calls = '', lists = '', left = '', reopened = '', failures: failed = [] } = {}) {
  const held = await gateway.ask('held');
  const { connections, openFiles, protocolServers, streams, timers, heapKb, residentKb } = held;
  const numbers = [connections, openFiles, protocolServers, streams, timers, heapKb, residentKb];
  rows.push([when, calls, lists, left, reopened, calls === '' ? '' : failed.length, ...numbers]);
  console.error(rows.at(-1).join('  '));
  return held;
}
