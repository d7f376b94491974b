// The unit suites with Node for Windows: bundled here, and run without Vitest's own bundler, whose native binding does not
// load under Wine.
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { root } from '../root.mjs';
import { bundlePrograms, bundleSuites } from './suites/bundle.mjs';
import { idleLimits, limitOf } from './suites/list.mjs';

const timeoutMs = 3_600_000;

/**
 * @param folder - Gets the bundles and the report.
 * @returns {Promise<{ name: string, ms: number, problem: string | undefined }>}
 */
export async function runSuite({ name, include, programs = [] }, windows, folder) {
  const begun = performance.now();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const files = globSync(include, { cwd: root }).toSorted();
  const { runner, bundles } = await bundleSuites(files, folder, windows.url);
  const programsFolder = join(folder, 'programs');
  if (programs.length > 0) await bundlePrograms(programs, programsFolder);
  const bundleOf = (file) => windows.path(bundles.get(file));
  const plan = {
    bundles: Object.fromEntries(files.map((file) => [file, bundleOf(file)])),
    provided: { programsFolder: windows.path(programsFolder) },
  };
  await writeFile(join(folder, 'plan.json'), JSON.stringify(plan));
  const report = join(folder, 'report.json');
  const words = [runner, join(folder, 'plan.json'), report].map(windows.path);
  const { code, stderr } = await windows.run(words, { cwd: root, timeoutMs });
  const results = existsSync(report) ? JSON.parse(await readFile(report, 'utf8')) : [];
  const { passed, skipped, known, problems } = resultOf(results, windows);
  if (code !== 0 || results.length < files.length) {
    problems.push(
      `${results.length} of ${files.length} files have run; node.exe ended with ${code}\n${stderr.slice(-2_000)}`,
    );
  }
  const rest = `${known} excused in suites/list.mjs, ${skipped} skipped by themselves`;
  const title = `${name}: ${passed} tests in ${files.length} files; ${rest}`;
  return { name: title, ms: performance.now() - begun, problem: problems.length > 0 ? problems.join('\n') : undefined };
}

function resultOf(results, windows) {
  const failed = results.flatMap(({ file, failed }) => failed.map((each) => ({ file, ...each })));
  const unknown = failed.filter(({ file, name }) => limitOf(file, name, windows) === undefined);
  const idle = idleLimits(results, windows);
  return {
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    skipped: results.reduce((sum, { skipped }) => sum + skipped, 0),
    known: failed.length - unknown.length,
    problems: [
      ...unknown.map(({ file, name, problem }) => `${file}: ${name}\n${problem}`),
      ...idle.map(({ file, name }) => `${file}: no test of suites/list.mjs with "${name}" in its name has failed`),
    ],
  };
}
