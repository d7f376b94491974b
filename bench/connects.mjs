// Promise: ten or fifty servers are connected and listed as fast as with the best peer, import included; two hundred
// start without a failure; an idle server costs the host no more memory than with the bare SDK.
import { parseArgs } from 'node:util';
import { contenders } from './contenders.mjs';
import { prepareContest } from './contest.mjs';
import { interleaved, medianOf, ratioOf, spreadOf, table } from './measurement.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    count: { type: 'string', multiple: true, default: ['10', '50'] },
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
const heapOf = new Map();

for (const count of counts) {
  const servers = contest.servers(count);
  const asked = names.map((name) => [name, () => connect(name, servers)]);
  const measured = await interleaved(Object.fromEntries(asked), rounds);
  const rows = names.map((name) => {
    const times = measured.get(name).map(({ ms }) => ms);
    heapOf.set(
      `${name} ${count}`,
      measured.get(name).map(({ heap }) => heap),
    );
    const peers = measured.get(peer)?.map(({ ms }) => ms);
    return [name, medianOf(times).toFixed(0), spreadOf(times, 0), peers ? ratioOf(times, peers).toFixed(2) : ''];
  });
  console.log(`\n${count} servers connected and listed, import included:\n`);
  console.log(table([['', 'median ms', 'middle half', `ratio to ${peer}`], ...rows]));
}

const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
if (most > fewest) {
  const perServer = (name) =>
    (medianOf(heapOf.get(`${name} ${most}`)) - medianOf(heapOf.get(`${name} ${fewest}`))) / (most - fewest) / 1_024;
  const rows = names.map((name) => [name, perServer(name).toFixed(0)]);
  console.log(`\nMemory of the host for each idle server more, after a collection:\n\n${table([['', 'kB'], ...rows])}`);
}

if (Number(values.many) > 0 && names.includes(ours)) {
  const { ms } = await connect(ours, contest.servers(Number(values.many)));
  console.log(
    `\n${values.many} servers connected and listed by ${ours} without a failure: ${(ms / 1_000).toFixed(1)} s`,
  );
}
const where = values.core === undefined ? '' : ', all on one core';
console.log(`\nNode ${contest.nodeVersion}${where}; ${rounds} interleaved rounds of fresh processes.`);

/** Milliseconds, and the bytes that are held when all is quiet. */
async function connect(name, servers) {
  const contender = contest.start(name);
  const ms = await contender.ask('open', { servers });
  const { heap } = await contender.ask('memory');
  await contender.close();
  return { ms, heap };
}
