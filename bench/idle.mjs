// Promise: a fleet of idle servers takes no processor time of the host that could be measured, but for the health checks
// that are asked for.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { prepareContest } from './contest.mjs';
import { printConditions, printTable } from './measurement.mjs';
import { versionOf } from './peers.mjs';

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '60' },
    settle: { type: 'string', default: '20' },
  },
});
const seconds = Number(values.seconds);
const contest = prepareContest();
const servers = contest.servers(Number(values.servers));

const ours = '@x/mcp-client-manager';
const seldom = servers.map((server) => ({ ...server, health: { intervalMs: 300_000 } }));
const fleets = [
  [ours, 'each checked every 30 s, the default', servers],
  [ours, 'each checked every 300 s', seldom],
  ['sdk 1.x', 'never checked', servers],
];

const rows = [];
for (const [name, checks, fleet] of fleets) {
  const contender = contest.start(name);
  await contender.ask('open', { servers: fleet });
  await delay(Number(values.settle) * 1_000); // the engine tidies up what a start has left behind
  const before = await contender.ask('processorTime');
  await delay(seconds * 1_000);
  const used = (await contender.ask('processorTime')) - before;
  rows.push([name, checks, used.toFixed(0), `${((used / (seconds * 1_000)) * 100).toFixed(3)} %`]);
  await contender.close();
}
printTable('Idle servers', [['', 'health', 'processor ms of the host', 'of one core'], ...rows]);
printConditions({
  node: contest.nodeVersion,
  how: [`${values.servers} servers for ${seconds} s`],
  peers: [`@modelcontextprotocol/sdk ${versionOf(contest.folder, '@modelcontextprotocol/sdk')}`],
});
