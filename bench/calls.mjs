// Promise: through the whole manager a call of a tool is as fast as the bare SDK 1.x client's, and a big result nearly
// as fast as the pipe.
import { parseArgs } from 'node:util';
import { contenders } from './contenders.mjs';
import { prepareContest } from './contest.mjs';
import { interleaved, medianOf, printConditions, printTable, ratioOf, spreadOf } from './measurement.mjs';
import { clientPeerVersions } from './peers.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    calls: { type: 'string', default: '2000' },
    core: { type: 'string' },
    only: { type: 'string', multiple: true },
  },
});
const rounds = Number(values.rounds);
const calls = Number(values.calls);
const names = Object.keys(contenders).filter((name) => values.only?.includes(name) ?? true);

const contest = prepareContest({ core: values.core });
const servers = contest.servers(1);
const server = servers[0].name;
const running = new Map();
for (const name of names) {
  const contender = contest.start(name);
  await contender.ask('open', { servers });
  running.set(name, contender);
}

const measurements = {
  'small call, median µs': ['oneByOne', { server, calls }, 1],
  '64 in flight, calls/s': ['atOnce', { server, calls: calls * 5, inFlight: 64 }, 0],
  '1 MB result, ms': ['big', { server, calls: 15, bytes: 1_000_000 }, 2],
};
const peer = 'sdk 1.x';

for (const [title, [command, options, digits]] of Object.entries(measurements)) {
  const asked = names.map((name) => [name, () => running.get(name).ask(command, options)]);
  const measured = await interleaved(Object.fromEntries(asked), rounds);
  const rows = names.map((name) => {
    const results = measured.get(name);
    return [
      name,
      medianOf(results).toFixed(digits),
      spreadOf(results, digits),
      measured.has(peer) ? ratioOf(results, measured.get(peer)).toFixed(2) : '',
      measured.has('raw pipe') ? ratioOf(results, measured.get('raw pipe')).toFixed(2) : '',
    ];
  });
  printTable(title, [['', 'median', 'middle half', `ratio to ${peer}`, 'ratio to raw'], ...rows]);
}

for (const contender of running.values()) await contender.close();
printConditions({
  node: contest.nodeVersion,
  how: [...(values.core === undefined ? [] : ['all on one core']), `${rounds} interleaved rounds`],
  peers: clientPeerVersions(contest.folder),
});
