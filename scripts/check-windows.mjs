// The packed packages and mcpx with Node for Windows: on Windows, elsewhere under Wine (apt-get install wine wine64).
//
// `node scripts/check-windows.mjs processes` runs the named groups or unit suites alone. `--keep <folder>` keeps Wine's files and the
// packed packages there, and uses what is there.
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packPackages } from './pack-packages.mjs';
import { startLocalRegistry } from './release/local-registry.mjs';
import { npmrc } from './release/package-managers.mjs';
import { root } from './root.mjs';
import { run } from './run.mjs';
import { notRun } from './windows/not-run.mjs';
import { suites } from './windows/suites/list.mjs';
import { runSuite } from './windows/suites.mjs';
import { openWindows } from './windows/system.mjs';

const names = suites.map(({ name }) => name);
const groups = ['processes', 'cli', 'suites'];
const width = Math.max(...groups.map(({ length }) => length));
const timeoutMs = 1_200_000;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { keep: { type: 'string' } } });
const unknown = positionals.find((name) => !groups.includes(name) && !names.includes(name));
if (unknown !== undefined) throw new Error(`"${unknown}" is none of ${[...groups, ...names].join(', ')}`);
const isWanted = (name) => positionals.length === 0 || positionals.includes(name);

const folder =
  values.keep === undefined ? await realpath(await mkdtemp(join(tmpdir(), 'windows-'))) : resolve(values.keep);
await mkdir(folder, { recursive: true });
const windows = await openWindows(folder);
console.log(`${windows.name}\n`);
const rows = [];
try {
  const wanted = groups.filter((group) => group !== 'suites' && isWanted(group));
  const project = wanted.length > 0 ? await installedProject() : undefined;
  for (const group of wanted) show(await runGroup(group, project));
  for (const suite of suites.filter(({ name }) => isWanted('suites') || isWanted(name))) {
    show([{ group: 'suites', ...(await runSuite(suite, windows, join(folder, 'suites', suite.name))) }]);
  }
} finally {
  await windows.close();
  if (values.keep === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
finish();

/** A project with the packed packages, as a user installs them. */
async function installedProject() {
  const project = join(folder, 'project');
  if (!existsSync(join(project, 'node_modules'))) await install(project);
  await cp(join(root, 'scripts', 'windows', 'guest'), project, { recursive: true });
  await cp(join(root, 'scripts', 'consumer', 'installed-mcpx.mjs'), join(project, 'installed-mcpx.mjs'));
  return project;
}

async function install(project) {
  const registry = await startLocalRegistry(folder);
  try {
    const packed = await packPackages(folder);
    for (const each of packed) await registry.publish(each);
    const dependencies = Object.fromEntries(packed.map(({ name, manifest }) => [name, manifest.version]));
    await mkdir(project);
    await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
    await writeFile(join(project, '.npmrc'), npmrc({ name: packed[0].name, url: registry.url }));
    await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: project });
  } finally {
    await registry.close();
  }
}

/** The results of one group, and a row for the checks that its process did not reach. */
async function runGroup(group, project) {
  const report = join(project, `${group}.json`);
  await rm(report, { force: true });
  const words = ['run.mjs', `${group}.mjs`, windows.path(report)];
  const { code, stderr } = await windows.run(words, { cwd: project, timeoutMs });
  const { results } = existsSync(report) ? JSON.parse(await readFile(report, 'utf8')) : { results: [] };
  const rest = { name: 'all checks have run', ms: 0, problem: `node.exe ended with ${code}\n${stderr}` };
  return [...results, ...(code === 0 ? [] : [rest])].map((result) => ({ group, ...result }));
}

/** Prints a line for each result: what came of it, its time, its group and its name. */
function show(results) {
  rows.push(...results);
  for (const { group, name, problem, ms } of results) {
    const seconds = `${(ms / 1_000).toFixed(1)} s`.padStart(7);
    console.log(`  ${problem === undefined ? 'ok  ' : 'FAIL'}  ${seconds}  ${group.padEnd(width)}  ${name}`);
  }
}

function finish() {
  for (const { what, why } of notRun) console.log(`  not run   ${what}: ${why}`);
  const failed = rows.filter(({ problem }) => problem !== undefined);
  for (const { group, name, problem } of failed) console.error(`\n${group}: ${name}\n${problem}`);
  console.log(`\n${rows.length - failed.length} checks passed, ${failed.length} failed`);
  if (failed.length > 0) process.exitCode = 1;
}
