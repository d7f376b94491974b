// Promise: neither calls nor starts and stops leave anything behind. Runs for --minutes, or until --calls and --cycles
// are done if those are given, and prints what the process holds as it goes on. Ends with 1 when a call failed, or more
// was left behind than the engine's own housekeeping explains.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { printConditions, printTable } from './measurement.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    calls: { type: 'string', default: 'Infinity' },
    cycles: { type: 'string', default: 'Infinity' },
    samples: { type: 'string', default: '10' },
  },
});
const entry = process.env.BENCH_ENTRY ?? new URL('../packages/mcp-client-manager/dist/index.js', import.meta.url).href;
const { createClientManager } = await import(entry);
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const limits = {
  endAt: performance.now() + Number(values.minutes) * 60_000,
  calls: Number(values.calls),
  cycles: Number(values.cycles),
};
const program = fileURLToPath(new URL('minimal-server.mjs', import.meta.url));
const spec = (name) => ({
  name,
  command: process.execPath,
  args: [program],
  limits: { shutdownTimeoutMs: 1_000, maxConcurrentCalls: 32 },
});
/** What the heap may have grown by once it is warm, in kB, and how many files may be open that were not before. */
const allowed = { heapKb: 1_024, openFiles: 0 };
const manager = createClientManager({ servers: [spec('called'), spec('cycled')] });
const done = { calls: 0, cycles: 0, failures: 0 };
const rows = [];
const from = performance.now();

await manager.start();
await callMany(5_000); // what is made once and kept
await cycle();
sample();
const between = (Number(values.minutes) * 60_000) / Number(values.samples);
let sampleAt = performance.now() + between;
await Promise.all([whileLeft('calls', () => callMany(1_000)), whileLeft('cycles', cycle)]);
sample();
await manager.close();

const head = ['s', 'calls', 'starts and stops', 'failures', 'heap kB', 'resident kB', 'open files', 'active resources'];
printTable('What the process holds', [head, ...rows]);
// The first quarter is left to the engine, which compiles what it finds to be used much.
const warm = rows[Math.ceil(rows.length / 4)] ?? rows[0];
printConditions({ how: [`heap from ${warm[0]} s on to the end: ${rows.at(-1)[4] - warm[4]} kB`] });
const growth = { heapKb: rows.at(-1)[4] - warm[4], openFiles: Number(rows.at(-1)[6]) - Number(warm[6]) };
if (done.failures > 0 || growth.heapKb > allowed.heapKb || growth.openFiles > allowed.openFiles) process.exitCode = 1;

async function whileLeft(kind, work) {
  while (performance.now() < limits.endAt && done[kind] < limits[kind]) {
    await work().catch((error) => {
      done.failures += 1;
      console.error(error);
    });
    if (performance.now() < sampleAt) continue;
    sampleAt = performance.now() + between;
    sample();
  }
}

async function callMany(count) {
  const results = Array.from({ length: 32 }, async (_, lane) => {
    for (let call = lane; call < count; call += 32) {
      const text = `call ${call}`;
      const { content } = await manager.callTool('called', 'echo', { text }, { meta: { traceparent: 'none' } });
      if (content[0].text !== text) done.failures += 1;
    }
  });
  await Promise.all(results);
  done.calls += count;
}

async function cycle() {
  const server = manager.server('cycled');
  await server.callTool('echo', { text: 'awake' });
  await server.stop();
  done.cycles += 1;
}

function sample() {
  for (let turn = 0; turn < 3; turn++) collect();
  const { heapUsed, rss } = process.memoryUsage();
  rows.push([
    ((performance.now() - from) / 1_000).toFixed(0),
    done.calls,
    done.cycles,
    done.failures,
    Math.round(heapUsed / 1_024),
    Math.round(rss / 1_024),
    process.platform === 'linux' ? readdirSync('/proc/self/fd').length : '',
    process.getActiveResourcesInfo().length,
  ]);
  console.error(rows.at(-1).join('  '));
}
