// What somebody gets who copies an example: packs the published packages, copies each example into a folder of its own
// outside of this workspace, installs it there with plain npm from the tarballs, and runs it. An example checks its own
// result; what it prints has to be what its README shows.
//
// `node scripts/check-examples.mjs own-tool-source` checks the named ones alone.
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { catalogVersion } from './catalog.mjs';
import { packPackages } from './pack-packages.mjs';
import { Report } from './report.mjs';
import { root } from './root.mjs';
import { run } from './run.mjs';
import { firstNotPrinted, outputsIn } from './shown-output.mjs';

/** An install keeps one processor busy, and there are at least two. */
const atATime = 2;
const notCopied = new Set(['node_modules', '.wireit']);

const waiting = await examples(process.argv.slice(2));
const folder = await mkdtemp(join(tmpdir(), 'check-examples-'));
const report = new Report();
try {
  const packed = await report.check('pack', () => packPackages(join(folder, 'packed')));
  if (packed !== undefined) {
    const tarballs = new Map(packed.map(({ name, tarball }) => [name, `file:${tarball}`]));
    await Promise.all(Array.from({ length: atATime }, () => checkAll(tarballs)));
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
report.finish();

async function examples(wanted) {
  const entries = await readdir(join(root, 'examples'), { withFileTypes: true });
  const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`There is no example "${unknown}"; there are ${names.join(', ')}`);
  return wanted.length > 0 ? wanted : names;
}

async function checkAll(tarballs) {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await check(name, tarballs);
}

async function check(name, tarballs) {
  const project = join(folder, name);
  await report.check(name, async () => {
    const { scripts } = await copyExample(name, project, tarballs);
    // What one of them has downloaded is there for the others, and nobody has to ask whether it is still the same.
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: project });
    const script = scripts.start === undefined ? 'test' : 'start';
    const { stdout } = await run('npm', [script], { cwd: project, timeoutMs: 60_000 });
    await checkOutput(name, stdout);
  });
}

async function checkOutput(name, printed) {
  const page = `examples/${name}/README.md`;
  for (const lines of outputsIn(await readFile(join(root, page), 'utf8'))) {
    const line = firstNotPrinted(lines, printed);
    if (line !== undefined) throw new Error(`${page} shows a line that was not printed there: ${line}\n${printed}`);
  }
}

async function copyExample(name, project, tarballs) {
  const source = join(root, 'examples', name);
  await cp(source, project, { recursive: true, filter: (path) => !notCopied.has(basename(path)) });
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
  const installed = {
    ...manifest,
    dependencies: await published(manifest.dependencies, tarballs),
    devDependencies: await published(manifest.devDependencies, tarballs),
    // The packages need one another, and none is published yet.
    overrides: Object.fromEntries(tarballs),
  };
  await writeFile(join(project, 'package.json'), JSON.stringify(installed, undefined, 2));
  return installed;
}

/** The same dependencies, as they are outside of the workspace. */
async function published(dependencies = {}, tarballs) {
  const entries = Object.entries(dependencies).map(async ([name, range]) => {
    if (range === 'catalog:') return [name, await catalogVersion(name)];
    if (!range.startsWith('workspace:')) return [name, range];
    if (!tarballs.has(name)) throw new Error(`${name} is not published, so nobody can install this example`);
    return [name, tarballs.get(name)];
  });
  return Object.fromEntries(await Promise.all(entries));
}
