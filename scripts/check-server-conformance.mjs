// The server half of the protocol's conformance suite, against a server that has all that it asks for: reached directly,
// and in every other way that is listed as a target. Fails when a scenario fails that is not listed as an expected
// failure, or passes and is. With `--short`, leaves out what has the same scenarios as another run or target; with
// `--run <name>`, which may occur several times, makes those runs only. Needs the built packages and the npm registry.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startConformanceHttp, testServer } from '../packages/test-servers/dist/index.js';
import { compareTargets } from './conformance/compare-targets.mjs';
import { expectedServerFailures } from './conformance/expected-server-failures.mjs';
import { startGateway, startIndependent } from './conformance/gateway-target.mjs';
import { recordResults, sumOfChecks } from './conformance/results.mjs';
import { installSuite, tryServer } from './conformance/suite.mjs';
import { Report } from './report.mjs';
import { Slots } from './slots.mjs';

/** @typedef {{ name: string, start: (suite: { independentServer: string }) => Promise<{ url: string, close(): Promise<void> }> }} Target */

/** A server of both eras whose tools work in both, reached in every way. */
const direct = { name: 'direct', start: () => startConformanceHttp() };
const gateway = {
  name: 'gateway',
  start: () => startGateway({ ...testServer('conformance'), protocol: '2026-07-28' }),
};
const gatewayToTwo = {
  name: 'gateway to two servers',
  start: () =>
    startGateway(
      { ...testServer('conformance'), protocol: '2026-07-28' },
      { echo: { ...testServer('echo'), auto_start: true } },
    ),
};
const gatewayToLegacy = {
  name: 'gateway to a 2025 server',
  start: () => startGateway({ ...testServer('conformance'), protocol: 'legacy' }),
};
const gatewayByUrl = { name: 'gateway by URL', start: () => startGatewayByUrl(() => startConformanceHttp()) };

/** A server of both eras whose older tools work in the earlier one only. */
const directOlder = { name: 'older tools, direct', start: () => startConformanceHttp('requests') };
const gatewayOlder = {
  name: 'older tools, gateway by URL',
  start: () => startGatewayByUrl(() => startConformanceHttp('requests')),
};

/** A server of both eras that is neither ours nor on the SDK. It lacks some of what the suite asks for. */
const independent = {
  name: 'independent, direct',
  start: ({ independentServer }) => startIndependent(independentServer),
};
const independentByUrl = {
  name: 'independent, gateway by URL',
  start: ({ independentServer }) => startGatewayByUrl(() => startIndependent(independentServer)),
};
const independentOverStdio = {
  name: 'independent, gateway',
  start: ({ independentServer }) =>
    startGateway({ command: [process.execPath, independentServer, '--stdio'], protocol: '2026-07-28' }),
};
const independentTargets = [independent, independentOverStdio, independentByUrl];

/**
 * The first target of a run is what the others are measured by. Each gets a server of its own. A server of an earlier
 * revision can only be measured by what that revision asks for. `short` has the targets with `--short`. With `mayFail`,
 * the others may fail what the first target fails.
 * @type {readonly { name: string, selection: string[], targets: readonly Target[], short?: readonly Target[], mayFail?: boolean }[]}
 */
const runs = [
  {
    name: 'all',
    selection: ['--suite', 'all'],
    targets: [direct, gateway, gatewayToTwo, gatewayByUrl],
    short: [direct, gatewayToTwo, gatewayByUrl],
  },
  { name: '2026-07-28', selection: ofRevision('2026-07-28'), targets: [direct, gateway, gatewayByUrl] },
  {
    name: '2025-11-25',
    selection: ofRevision('2025-11-25'),
    targets: [direct, gateway, gatewayToLegacy, gatewayByUrl],
    short: [direct, gatewayToLegacy, gatewayByUrl],
  },
  {
    name: 'required for 2026-07-28',
    selection: ['--requirements', '2026-07-28'],
    targets: [direct, gateway, gatewayByUrl],
  },
  { name: 'older tools, all', selection: ['--suite', 'all'], targets: [directOlder, gatewayOlder] },
  {
    name: 'older tools, 2025-11-25',
    selection: ofRevision('2025-11-25'),
    targets: [directOlder, gatewayOlder],
    short: [directOlder, gatewayOlder],
  },
  {
    name: 'independent, all',
    selection: ['--suite', 'all'],
    targets: independentTargets,
    short: independentTargets,
    mayFail: true,
  },
  { name: 'independent, 2026-07-28', selection: ofRevision('2026-07-28'), targets: independentTargets, mayFail: true },
  { name: 'independent, 2025-11-25', selection: ofRevision('2025-11-25'), targets: independentTargets, mayFail: true },
  {
    name: 'independent, required for 2026-07-28',
    selection: ['--requirements', '2026-07-28'],
    targets: independentTargets,
    mayFail: true,
  },
];
/** A run waits more than it works. */
const atATime = 3;

for (const { run, target, scenario } of expectedServerFailures) {
  const targets = runs.find(({ name }) => name === run)?.targets ?? [];
  if (!targets.some(({ name }) => name === target))
    throw new Error(`The expected failure of ${scenario} is listed for ${run}, ${target}, which is not run`);
}

const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    run: { type: 'string', multiple: true },
  },
});
if (options.write && options.short) throw new Error('--write needs the results of all targets: leave out --short');
const names = runs.map(({ name }) => name);
const unknownRun = options.run?.find((name) => !names.includes(name));
if (unknownRun !== undefined) throw new Error(`There is no run "${unknownRun}". Runs: ${names.join('; ')}`);
const measured = {};
const folder = await mkdtemp(join(tmpdir(), 'check-server-conformance-'));
const report = new Report();
try {
  const suite = await report.check('npm install of the suite', () => installSuite(folder));
  if (suite) {
    const named = runs.filter(({ name }) => options.run?.includes(name) ?? true);
    const chosen = options.short
      ? named.flatMap(({ short, ...run }) => (short ? { ...run, targets: short } : []))
      : named;
    const slots = new Slots(atATime);
    const outcomes = chosen.map((run) => ({ run, results: resultsOf(run, suite, slots) }));
    const differing = [];
    for (const { run, results } of outcomes) {
      if (faultsOf(run, await results).length > 0) differing.push(run);
      else await report.check(run.name, () => undefined);
    }
    // Some scenarios wait for a second only. What differs beside others is tried again alone.
    for (const run of differing) {
      await report.check(`${run.name}, alone`, async () => {
        const faults = faultsOf(run, await resultsOf(run, suite, new Slots(1)));
        if (faults.length > 0) throw new Error(faults.join('\n'));
      });
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
const isPart = options.short || options.run !== undefined;
await report.check('docs/conformance.json has these results', () =>
  recordResults('server', measured, { write: options.write, isPart, order: names }),
);
report.finish();

/** The gateway ends before its server. */
async function startGatewayByUrl(startServer) {
  const server = await startServer();
  const { url, close } = await startGateway({ url: server.url }).catch(async (error) => {
    await server.close();
    throw error;
  });
  return { url, close: () => close().finally(() => server.close()) };
}

function ofRevision(version) {
  return ['--suite', 'all', '--spec-version', version];
}

/** @returns By target: its checks, or why there are none. */
async function resultsOf({ name, selection, targets }, suite, slots) {
  const left = await mkdtemp(join(folder, `${name}-`));
  const tried = targets.map((target) =>
    slots.use(async () => {
      const server = await target.start(suite);
      try {
        return await tryServer(suite, { url: server.url, selection, folder: join(left, target.name) });
      } finally {
        await server.close();
      }
    }),
  );
  const settled = await Promise.allSettled(tried);
  return targets.map(({ name: target }, at) => ({ target, ...settled[at] }));
}

function faultsOf({ name, mayFail }, results) {
  const untried = results.filter(({ status }) => status === 'rejected');
  if (untried.length > 0) return untried.map(({ target, reason }) => `${target}: ${reason.message}`);
  const outcomes = new Map(results.map(({ target, value }) => [target, value]));
  measured[name] = Object.fromEntries([...outcomes].map(([target, outcome]) => [target, sumOfChecks(outcome)]));
  const known = expectedServerFailures.filter(({ run, target }) => run === name && outcomes.has(target));
  const { rows, faults } = compareTargets(outcomes, known, { mayFail });
  console.log(`${name}: checks passed by each target`);
  for (const row of rows) console.log(`  ${row}`);
  for (const { target, scenario, reason } of known) console.log(`  ${target} fails ${scenario}: ${reason}`);
  for (const fault of faults) console.log(`  differs: ${fault}`);
  return faults;
}
