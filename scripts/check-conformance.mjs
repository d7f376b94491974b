// The client half of the protocol's conformance suite, driven through the client manager and, for comparison, through the
// bare client of the protocol's SDK. Fails when the manager fails what the SDK's client passes, be it one check, or when
// the list of expected failures is not what was found. Needs the built packages and the npm registry.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareClients } from './conformance/compare-clients.mjs';
import { expectedClientFailures } from './conformance/expected-client-failures.mjs';
import { recordResults, sumOfStatuses } from './conformance/results.mjs';
import { installSuite, tryClient } from './conformance/suite.mjs';
import { Report } from './report.mjs';

const legs = [
  { revision: '2025-03-26', selection: ['--suite', 'backcompat'] },
  { revision: '2025-11-25', selection: ['--suite', 'all', '--spec-version', '2025-11-25'] },
  { revision: '2026-07-28', selection: ['--suite', 'all', '--spec-version', '2026-07-28'] },
  { revision: 'extensions', selection: ['--suite', 'extensions'] },
];

const unknown = expectedClientFailures.find(({ revision }) => !legs.some((leg) => leg.revision === revision));
if (unknown)
  throw new Error(`The expected failure of ${unknown.scenario} is listed for ${unknown.revision}, which is not run`);

const write = process.argv.includes('--write');
const measured = {};
const folder = await mkdtemp(join(tmpdir(), 'check-conformance-'));
const report = new Report();
try {
  const suite = await report.check('npm install of the suite', () => installSuite(folder));
  if (suite) for (const leg of legs) await report.check(leg.revision, () => compareOn(suite, leg));
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
await report.check('docs/conformance.json has these results', () => recordResults('client', measured, { write }));
report.finish();

async function compareOn(suite, { revision, selection }) {
  const [sdk, manager] = [await tried('sdk-client.mjs'), await tried('manager-client.mjs')];
  const expected = expectedClientFailures.filter((entry) => entry.revision === revision);
  measured[revision] = Object.fromEntries(
    Object.entries({ 'SDK client': sdk, manager }).map(([client, outcome]) => [client, sumOfStatuses(outcome)]),
  );
  const { rows, faults } = compareClients({ sdk, manager }, expected);
  console.log(`${revision}: ${rows.length} scenarios, checks passed by each client`);
  for (const row of rows) console.log(`  ${row}`);
  for (const { scenario, reason } of expected) console.log(`  expected failure of ${scenario}: ${reason}`);
  if (faults.length > 0) throw new Error(faults.join('\n'));

  function tried(client) {
    return tryClient(suite, { client, selection, folder: join(folder, `${revision}-${client}`) });
  }
}
