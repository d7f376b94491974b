// Promise: a fleet of idle servers takes no processor time of the host that could be measured, but for the health checks
// that are asked for.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { prepareContest } from './contest.mjs';
import { table } from './measurement.mjs';

const { values } = parseArgs({
  options: { servers: { type: 'string', default: '100' }, seconds: { type: 'string', default: '60' } },
});
const seconds = Number(values.seconds);
const contest = prepareContest();
const servers = contest.servers(Number(values.servers));

const ours = '@x/mcp-client-manager';
const seldom = servers.map((server) => ({ ...server, healthCheckIntervalMs: 300_000 }));
const fleets = [
  [ours, 'each checked every 30 s, the default', servers],
  [ours, 'each checked every 300 s', seldom],
  ['sdk 1.x', 'never checked', servers],
];

const rows = [];
for (const [name, checks, fleet] of fleets) {
  const contender = contest.start(name);
  await contender.ask('open', { servers: fleet });
  await delay(20_000); // the engine tidies up what a start has left behind
  const before = await contender.ask('processorTime');
  await delay(seconds * 1_000);
  const used = (await contender.ask('processorTime')) - before;
  rows.push([name, checks, used.toFixed(0), `${((used / (seconds * 1_000)) * 100).toFixed(3)} %`]);
  await contender.close();
}
console.log(`${values.servers} idle servers for ${seconds} s:\n`);
console.log(table([['', 'health', 'processor ms of the host', 'of one core'], ...rows]));
console.log(`\nNode ${contest.nodeVersion}.`);
