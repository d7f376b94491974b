// Promise: a fleet of idle servers takes no processor time of the host that could be measured.
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

const rows = [];
for (const name of ['@x/mcp-client-manager', 'sdk 1.x']) {
  const contender = contest.start(name);
  await contender.ask('open', { servers });
  await delay(3_000); // what a start leaves behind
  const before = await contender.ask('processorTime');
  await delay(seconds * 1_000);
  const used = (await contender.ask('processorTime')) - before;
  rows.push([name, used.toFixed(0), `${((used / (seconds * 1_000)) * 100).toFixed(3)} %`]);
  await contender.close();
}
console.log(`${values.servers} idle servers for ${seconds} s:\n`);
console.log(table([['', 'processor ms of the host', 'of one core'], ...rows]));
console.log(`\nNode ${contest.nodeVersion}.`);
