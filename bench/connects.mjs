// Promise: ten or fifty servers are connected and listed as fast as with the best peer, import included; two hundred
// start without a failure; an idle server costs the host no more memory than with the bare SDK.
import { parseArgs } from 'node:util';
import { contenders } from './contenders.mjs';
import { prepareContest } from './contest.mjs';
import { interleaved, medianOf, printConditions, printTable, ratioOf, spreadOf } from './measurement.mjs';
import { clientPeerVersions } from './peers.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    count: { type: 'string', multiple: true, default: ['1', '10', '50'] },
    many: { type: 'string', default: '200' },
    core: { type: 'string' },
    only: { type: 'string', multiple: true },
  },
});
const ours = '@x/mcp-client-manager';
const peer = 'sdk 1.x';
const rounds = Number(values.rounds);
const counts = values.count.map(Number);
const names = Object.keys(contenders).filter((name) => values.only?.includes(name) ?? true);
const contest = prepareContest({ core: values.core });
const memoryOf = new Map();

for (const count of counts) {
  const servers = contest.servers(count);
  const asked = names.map((name) => [name, () => connect(name, servers)]);
  const measured = await interleaved(Object.fromEntries(asked), rounds);
  const timesOf = (name) => measured.get(name)?.map(({ ms }) => ms);
  const quickest = quickestOf(names.filter((name) => name !== ours && name !== 'raw pipe').map(timesOf));
  const rows = names.map((name) => {
    const times = timesOf(name);
    memoryOf.set(`${name} ${count}`, {
      heap: medianOf(measured.get(name).map(({ heap }) => heap)),
      rss: medianOf(measured.get(name).map(({ rss }) => rss)),
    });
    const ratioTo = (others) => (others ? ratioOf(times, others).toFixed(2) : '');
    const lag = medianOf(measured.get(name).map(({ lagMs }) => lagMs)).toFixed(0);
    return [name, medianOf(times).toFixed(0), spreadOf(times, 0), ratioTo(timesOf(peer)), ratioTo(quickest), lag];
  });
  const head = ['', 'median ms', 'middle half', `ratio to ${peer}`, 'ratio to the quickest peer', 'event-loop lag ms'];
  printTable(`${plural(count)} connected and listed, import included`, [head, ...rows]);
}

const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
if (most > fewest) {
  const rows = names.map((name) => {
    const [first, last] = [memoryOf.get(`${name} ${fewest}`), memoryOf.get(`${name} ${most}`)];
    const perServer = (what) => ((last[what] - first[what]) / (most - fewest) / 1_024).toFixed(0);
    return [name, (first.rss / 1_048_576).toFixed(1), perServer('rss'), perServer('heap')];
  });
  const head = ['', `resident MB, ${plural(fewest)}`, 'resident kB a further server', 'in use kB a further server'];
  printTable('Memory of the host, idle, after a collection', [head, ...rows]);
}

if (Number(values.many) > 0 && names.includes(ours)) {
  // It throws when one of them fails.
  const { ms } = await connect(ours, contest.servers(Number(values.many)));
  const row = [ours, values.many, 0, (ms / 1_000).toFixed(1)];
  printTable('Many servers at once, connected and listed', [['', 'servers', 'failures', 's'], row]);
}
printConditions({
  node: contest.nodeVersion,
  how: [
    ...(values.core === undefined ? [] : ['all on one core']),
    `${rounds} interleaved rounds of fresh processes`,
    'the quickest peer is the one with the least median',
  ],
  peers: clientPeerVersions(contest.folder),
});

function quickestOf(peers) {
  return peers.toSorted((left, right) => medianOf(left) - medianOf(right))[0];
}

function plural(count) {
  return count === 1 ? '1 server' : `${count} servers`;
}

/** Milliseconds, the longest block of the event loop meanwhile, and the bytes that are held when all is idle. */
async function connect(name, servers) {
  const contender = contest.start(name);
  const { ms, lagMs } = await contender.ask('open', { servers });
  const { heap, rss } = await contender.ask('memory');
  await contender.close();
  return { ms, lagMs, heap, rss };
}
