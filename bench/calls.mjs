// Promise: through the whole manager a call of a tool is as fast as the bare SDK 1.x client's, and a big result nearly
// as fast as the pipe; structured content and prompts cost no more than texts and calls.
import { parseArgs } from 'node:util';
import { callers } from './contenders.mjs';
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
const names = Object.keys(callers).filter((name) => values.only?.includes(name) ?? true);

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
const ratios = [
  ['ratio to sdk 1.x', 'sdk 1.x'],
  ['ratio to raw', 'raw pipe'],
  ['ratio to the manager', '@x/mcp-client-manager'],
];

for (const [title, [command, options, digits]] of Object.entries(measurements)) {
  const asked = names.map((name) => [name, () => running.get(name).ask(command, options)]);
  const measured = await interleaved(Object.fromEntries(asked), rounds);
  const rows = names.map((name) => {
    const results = measured.get(name);
    return [
      name,
      medianOf(results).toFixed(digits),
      spreadOf(results, digits),
      ...ratios.map(([, to]) => (measured.has(to) ? ratioOf(results, measured.get(to)).toFixed(2) : '')),
    ];
  });
  printTable(title, [['', 'median', 'middle half', ...ratios.map(([column]) => column)], ...rows]);
}

await compare('Structured content beside a text, median µs', {
  command: ['structured', { server, calls }],
  ours: 'structured',
  beside: 'text',
  digits: 1,
});
await compare('prompts/get beside tools/call, 64 in flight, per second', {
  command: ['prompts', { server, calls: calls * 4, inFlight: 64 }],
  ours: 'prompts',
  beside: 'calls',
  only: ['raw pipe', '@x/mcp-client-manager', 'sdk 1.x', 'sdk 2.x'],
});

for (const contender of running.values()) await contender.close();
printConditions({
  node: contest.nodeVersion,
  how: [...(values.core === undefined ? [] : ['all on one core']), `${rounds} interleaved rounds`],
  peers: clientPeerVersions(contest.folder),
});

/** Two kinds of requests of each contender, measured in turns in its own process. */
async function compare(title, { command: [command, options], ours, beside, only = names, digits = 0 }) {
  const chosen = names.filter((name) => only.includes(name));
  const asked = chosen.map((name) => [name, () => running.get(name).ask(command, options)]);
  const measured = await interleaved(Object.fromEntries(asked), rounds);
  const rows = chosen.map((name) => {
    const of = (what) => measured.get(name).map((each) => each[what]);
    const [one, other] = [of(ours), of(beside)];
    return [name, medianOf(one).toFixed(digits), medianOf(other).toFixed(digits), ratioOf(one, other).toFixed(2)];
  });
  printTable(title, [['', ours, beside, 'ratio'], ...rows]);
}
