// Measures all that is promised, one script after the other, prints what they print, and writes docs/benchmarks.md.
// Run after a build: node bench/all.mjs [--only gateway] [--quick] [--page] [--note 'on a busy machine']
//   --only   measures this script alone, or all of that first word, and puts the page together with what is kept of the
//            others; may be repeated
//   --quick  few rounds, to try: prints, but keeps and writes nothing
//   --page   measures nothing, and puts the page together from what is kept
//   --note   is kept beside the numbers and shown below them
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { aimText, judge } from './report/aims.mjs';
import { chartOf } from './report/chart.mjs';
import { keep, readKeptOf } from './report/kept.mjs';
import { measurements } from './report/measurements.mjs';
import { chartPath, putTogether } from './report/page.mjs';
import { runScript } from './report/run-script.mjs';
import { surroundings } from './report/surroundings.mjs';
import { readTables } from './report/tables.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    note: { type: 'string' },
  },
});
const page = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url));
const here = surroundings();
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupted.abort());

const chosen = values.page ? [] : choose();
const failures = [];
for (const measurement of chosen) {
  const lack = measurement.lack?.();
  if (lack !== undefined) {
    console.error(`\nLeft out, and what was kept of it before stays: ${measurement.name}: ${lack}.`);
    if (values.only !== undefined) process.exitCode = 1;
    continue;
  }
  const failure = await measure(measurement);
  if (failure !== undefined) failures.push(`${measurement.name}: ${failure}`);
  if (interrupted.signal.aborted) break;
}

if (!values.quick && !interrupted.signal.aborted) writePage();
for (const failure of failures) console.error(`Failed, and what was kept of it before stays: ${failure}`);
if (failures.length > 0) process.exitCode = 1;

/** The named ones, or all that a release takes. */
function choose() {
  if (values.only === undefined) {
    const apart = measurements.filter((each) => each.apart).map(({ name }) => name);
    console.error(
      `Takes about half an hour. Not among them, as they take long: ${apart.join(', ')} (--only measures them).`,
    );
    return measurements.filter((each) => !each.apart);
  }
  const unknown = values.only.filter((name) => namedBy(name).length === 0);
  const names = measurements.map(({ name }) => name).join(', ');
  if (unknown.length > 0) {
    console.error(`--only ${unknown[0]}: there is no such measurement; there are ${names}`);
    process.exit(2);
  }
  const named = new Set(values.only.flatMap(namedBy));
  return measurements.filter((each) => named.has(each));
}

/** That one; or, as in `fleet`, all whose names begin with that word. */
function namedBy(only) {
  const exactly = measurements.filter(({ name }) => name === only);
  return exactly.length > 0 ? exactly : measurements.filter(({ name }) => name.startsWith(`${only}-`));
}

/** @returns {Promise<string | undefined>} Why it failed. */
async function measure(measurement) {
  const { name, title, nodeOptions = [], limitMinutes } = measurement;
  const args = (values.quick ? measurement.quick : measurement.args) ?? [];
  console.log(`\n## ${title}\n`);
  const { output, seconds, failure } = await runScript(`${name}.mjs`, args, {
    limitMinutes,
    nodeOptions,
    signal: interrupted.signal,
  });
  console.error(`${name}: ${seconds.toFixed(0)} s`);
  const why = failure ?? printAims(measurement, readTables(output));
  if (why === undefined && !values.quick) {
    const command = ['node', ...nodeOptions, `bench/${name}.mjs`, ...args].join(' ');
    keep(name, { ...here, command, seconds: Math.round(seconds), note: values.note }, output);
  }
  return why;
}

/** @returns {string | undefined} What is missing. A trial leaves out some of the numbers. */
function printAims({ aims = [] }, tables) {
  if (tables.length === 0) return 'it printed no table';
  const judged = aims.map((aim) => ({ aim, ...judge(tables, aim) }));
  for (const { aim, measured, verdict } of judged) {
    console.log(`- ${aim.says}: ${aimText(aim)}. ${measured}: ${verdict}`);
  }
  const unknown = judged.find(({ met }) => met === undefined);
  if (unknown === undefined || values.quick) return undefined;
  return `what it printed does not hold the numbers for "${unknown.aim.says}"`;
}

function writePage() {
  const kept = new Map();
  for (const measurement of measurements) {
    const result = readKeptOf(measurement.name);
    if (result === undefined) continue;
    kept.set(measurement.name, result);
    const chart = chartOf(measurement, readTables(result.output));
    if (chart !== undefined) writeFileSync(join(dirname(page), chartPath(measurement.name)), chart);
  }
  writeFileSync(page, putTogether(measurements, kept));
  console.error(`${page.slice(page.indexOf('docs'))} holds ${readFileSync(page, 'utf8').split('\n').length} lines`);
}
