// Promise: whatever happens to servers, no call is lost, repeated or mixed up, none that may be retried was done, and no
// process is left. For --minutes, 48 calls a second go to --servers: a third each through the manager, the registry and the
// gateway over HTTP. One fault a second meets the servers, of which a third have grandchildren and a sixth stay when stdin
// ends. The plan of calls and faults depends on --seed alone. Linux only.
// Ends with 1 when a counter is not 0, or fewer than nine of ten calls succeed. Every call counts, whatever met its server.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { callTimeoutMs, makeCall, openCallers } from './chaos/callers.mjs';
import { FaultInjector } from './chaos/faults.mjs';
import { countFaults, countOutcomes } from './chaos/ledger.mjs';
import { planChaos, ways } from './chaos/plan.mjs';
import { medianOf, numbersFrom, printConditions, printTable } from './measurement.mjs';
import { openGateway } from './own-gateway.mjs';

const leastSuccess = 90;
const { seed, minutes, servers: count } = numbersFrom({ seed: 1, minutes: 10, servers: 30 });
const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
const file = join(folder, 'effects');
const token = 'what-a-gateway-on-loopback-asks-for';
const program = fileURLToPath(new URL('../packages/test-servers/dist/records-effects.js', import.meta.url));
const names = Array.from({ length: count }, (_, index) => `s${index}`);
const plan = planChaos({ seed, seconds: minutes * 60, servers: names });
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interrupted.abort());

try {
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run() {
  const opened = await openGateway(names.map(spec), { callTimeoutMs, onProblem: () => undefined });
  const { manager, registry } = opened;
  const http = await opened.serveHttp({ token });
  const publicNames = new Map(registry.list().map(({ server, name }) => [server, name]));
  const callers = openCallers({ manager, registry, url: http.url, token, publicNames });
  const injector = new FaultInjector(manager);
  const loop = monitorEventLoopDelay({ resolution: 10 });

  loop.enable();
  const calls = [];
  await Promise.all([
    follow(plan.calls, (call) => calls.push(makeCall(callers, call))),
    follow(plan.faults, (fault) => injector.inject(fault)),
  ]);
  const records = await Promise.all(calls);
  await injector.settled();
  loop.disable();
  const replacements = injector.replacements();

  const closedFrom = performance.now();
  http.server.close();
  http.server.closeAllConnections();
  await opened.close();
  const closeSeconds = (performance.now() - closedFrom) / 1_000;
  report({ records, replacements, faults: injector.done, loop, closeSeconds, orphans: processesOfRun() });
}

function spec(name, index) {
  const options = [...(index % 3 === 0 ? ['--grandchild'] : []), ...(index % 6 === 1 ? ['--ignores-stdin-end'] : [])];
  return {
    name,
    command: process.execPath,
    args: [program, '--file', file, '--name', name, ...options],
    env: { CHAOS_RUN: folder },
    autoStart: true,
    health: { intervalMs: 10_000 },
  };
}

/** Does each step of a plan at its time. */
async function follow(steps, act) {
  const from = performance.now();
  for (const step of steps.toSorted((left, right) => left.atMs - right.atMs)) {
    const early = from + step.atMs - performance.now();
    if (early > 0) await delay(early, undefined, { signal: interrupted.signal }).catch(() => undefined);
    if (interrupted.signal.aborted) return;
    act(step);
  }
}

/** Processes that servers of this run are or have started, and that still live. */
function processesOfRun() {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isOfRun(pid));
}

function isOfRun(pid) {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`CHAOS_RUN=${folder}`)) return false;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^ [ZX] /.test(stat.slice(stat.lastIndexOf(')') + 1));
  } catch {
    return false; // gone while it was read, or not ours to read
  }
}

function report({ records, replacements, faults, loop, closeSeconds, orphans }) {
  const effects = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const { retryableButDone, ...others } = countFaults(records, effects);
  const counters = { ...others, orphans: orphans.length, 'retryable but done': retryableButDone };
  const succeeded = records.filter(({ outcome }) => outcome === 'ok').length;
  const percent = (100 * succeeded) / records.length;
  const longest = Math.max(...records.map(({ ms }) => ms)) / 1_000;
  const replaced = replacements.filter((seconds) => seconds !== undefined);

  printTable('What must be 0', [['', 'count'], ...Object.entries(counters)]);
  printTable('Calls', [
    ['', 'count'],
    ['made', records.length],
    ['succeeded, %', percent.toFixed(1)],
    ...ways.map((way) => [`succeeded through the ${way}, %`, successOf(records, way)]),
    ...countOutcomes(records),
    ['effects recorded', effects.length],
    ['longest, s', longest.toFixed(1)],
  ]);
  printTable('Faults', [['', 'count'], ...Object.entries(faults).toSorted(([, left], [, right]) => right - left)]);
  printTable('Servers that hung for good', [
    ['', 'value'],
    ['hung', replacements.length],
    ['replaced before the end', replaced.length],
    ['replaced after, s, median', replaced.length === 0 ? '' : medianOf(replaced).toFixed(1)],
    ['replaced after, s, longest', replaced.length === 0 ? '' : Math.max(...replaced).toFixed(1)],
  ]);
  printTable('The host', [
    ['', 'value'],
    ['event loop delay, ms, p99', (loop.percentile(99) / 1e6).toFixed(0)],
    ['event loop delay, ms, longest', (loop.max / 1e6).toFixed(0)],
    ['close, s', closeSeconds.toFixed(1)],
  ]);
  printConditions({ how: [`${count} servers`, `${minutes} minutes`, `seed ${seed}`] });

  for (const [name, value] of Object.entries(counters)) if (value > 0) fail(`${name}: ${value}`);
  if (percent < leastSuccess) fail(`${percent.toFixed(1)} % of the calls succeeded, and ${leastSuccess} % have to`);
  for (const pid of orphans) process.kill(Number(pid), 'SIGKILL');
}

function successOf(records, way) {
  const own = records.filter((record) => record.way === way);
  return ((100 * own.filter(({ outcome }) => outcome === 'ok').length) / own.length).toFixed(1);
}

function fail(why) {
  console.error(`Failed: ${why}`);
  process.exitCode = 1;
}
