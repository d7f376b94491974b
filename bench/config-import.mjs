// What it costs a program to import the package, in a process that has loaded nothing yet, beside `import 'zod'`, of
// which it contains a part. Run after a build: node bench/config-import.mjs
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { interleaved, medianOf, numbersFrom, printConditions, printTable, ratioOf, spreadOf } from './measurement.mjs';

const run = promisify(execFile);
const folder = new URL('../packages/mcp-config-schema/', import.meta.url);
const manifest = new URL('package.json', folder);
const { name, exports } = JSON.parse(readFileSync(manifest, 'utf8'));
const packageRequire = createRequire(manifest);
const version = (dependency) => packageRequire(`${dependency}/package.json`).version;

const { rounds } = numbersFrom({ rounds: 40 });
const measured = await interleaved(
  { zod: () => importedIn(['zod']), ours: () => importedIn([name]), both: () => importedIn(['zod', name]) },
  rounds,
);

const [zod, ours, both] = ['zod', 'ours', 'both'].map((contender) => measured.get(contender));
const row = (label, values) => {
  const walls = values.map(({ wall }) => wall);
  const processor = medianOf(values.map(({ cpu }) => cpu)).toFixed(1);
  return [
    label,
    medianOf(walls).toFixed(1),
    spreadOf(walls),
    processor,
    ratioOf(
      walls,
      zod.map(({ wall }) => wall),
    ).toFixed(2),
  ];
};
printTable('Import into a fresh process', [
  ['', 'median ms', 'middle half', 'processor ms', 'ratio'],
  row(`import 'zod'`, zod),
  row(`import '${name}'`, ours),
  row('one after the other, as in a program that uses both', both),
]);
printConditions({
  how: [`${rounds} interleaved rounds of fresh processes`, `entry ${exports['.'].default}`],
  peers: [`zod ${version('zod')}`],
});

/** Milliseconds of a clock and of the processor from before the first import to after the last one. */
async function importedIn(modules) {
  const program = `
    const before = process.cpuUsage();
    const start = process.hrtime.bigint();
    for (const module of ${JSON.stringify(modules)}) await import(module);
    const wall = Number(process.hrtime.bigint() - start) / 1e6;
    const { user, system } = process.cpuUsage(before);
    console.log(JSON.stringify({ wall, cpu: (user + system) / 1e3 }));`;
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await run(process.execPath, args, { cwd: fileURLToPath(folder) });
  return JSON.parse(stdout);
}
