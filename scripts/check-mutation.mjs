// Changes what decides, one piece of code after the other, and looks whether a test notices: a rule whose change survives is
// a rule that no test holds. With StrykerJS, on Node 24.
// Run after a build: node scripts/check-mutation.mjs [group...] [--concurrency 1]
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { equivalent } from './mutation/equivalent.mjs';
import { groups } from './mutation/groups.mjs';
import { scoreOf } from './mutation/score.mjs';
import { root } from './root.mjs';
import { run } from './run.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: 'string', default: '2' } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(groups, name));
if (unknown.length > 0) {
  console.error(`There is no group "${unknown[0]}". There are: ${Object.keys(groups).join(', ')}`);
  process.exit(2);
}

const folder = await mkdtemp(join(tmpdir(), 'check-mutation-'));
try {
  for (const name of positionals.length > 0 ? positionals : Object.keys(groups)) await check(name, groups[name]);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function check(name, { atLeast, ...group }) {
  const report = await mutated(name, group);
  const { killed, counted, survivors, stale } = scoreOf(report, equivalent);
  const percent = (100 * killed) / counted;
  for (const { place, code, change } of survivors) console.log(`survived: ${place}\n  ${code}\n  ${change}`);
  for (const { file, line } of stale) console.log(`listed as equivalent, and is not there: ${file}: ${line}`);
  console.log(`${name}: ${killed} of ${counted} changes are noticed, ${percent.toFixed(1)} %; at least ${atLeast} %`);
  if (percent < atLeast || stale.length > 0) process.exitCode = 1;
}

/** @returns The report of StrykerJS about one group. */
async function mutated(name, { mutate, tests, env = {} }) {
  const config = join(folder, `${name}.json`);
  const fileName = join(folder, `${name}-report.json`);
  const options = {
    mutate,
    testRunner: 'vitest',
    vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner'],
    coverageAnalysis: 'perTest',
    concurrency: Number(values.concurrency),
    reporters: ['json'],
    jsonReporter: { fileName },
    tempDirName: join('node_modules', '.cache', 'mutation'),
    ignorePatterns: ['.git', '.wireit', 'docs/*', '!docs/errors', 'examples', 'bench/results'],
    allowConsoleColors: false,
    disableTypeChecks: true,
    timeoutMS: 30_000, // a busy machine is not a test that notices
  };
  await writeFile(config, JSON.stringify(options));
  const program = join(root, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  const own = { ...process.env, ...env, MUTATION_TESTS: tests.join('\n') };
  await run('npx', ['-y', 'node@24', program, 'run', config], { cwd: root, env: own, timeoutMs: 6 * 60 * 60_000 });
  return JSON.parse(await readFile(fileName, 'utf8'));
}
