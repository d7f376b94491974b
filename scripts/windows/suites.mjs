// The unit suites with Node for Windows: bundled here, and run without Vitest's own bundler, whose native binding does not
// load under Wine.
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { globSync } from 'tinyglobby';
import { root } from '../root.mjs';
import { bundleSuites } from './suites/bundle.mjs';
import { limitOf } from './suites/list.mjs';

const timeoutMs = 3_600_000;

/** @returns {Promise<{ name: string, ms: number, problem: string | undefined }[]>} A row for each suite. */
export async function runSuites(windows, folder, suites) {
  const rows = [];
  for (const suite of suites) rows.push(await runSuite(suite, windows, join(folder, 'suites', suite.name)));
  return rows;
}

async function runSuite({ name, include, programs = {} }, windows, folder) {
  const begun = performance.now();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const files = globSync(include, { cwd: root }).toSorted();
  const { runner, bundles } = await bundleSuites([...files, ...Object.values(programs)], folder, (path) =>
    urlOf(windows, path),
  );
  const bundleOf = (file) => windows.path(bundles.get(file));
  const plan = {
    bundles: Object.fromEntries(files.map((file) => [file, bundleOf(file)])),
    provided: Object.fromEntries(Object.entries(programs).map(([key, file]) => [key, bundleOf(file)])),
  };
  await writeFile(join(folder, 'plan.json'), JSON.stringify(plan));
  const report = join(folder, 'report.json');
  const words = [runner, join(folder, 'plan.json'), report].map(windows.path);
  const { code, stderr } = await windows.run(words, { cwd: root, timeoutMs });
  const results = existsSync(report) ? JSON.parse(await readFile(report, 'utf8')) : [];
  const { passed, known, problems } = resultOf(results, windows);
  if (code !== 0 || results.length < files.length) {
    problems.push(
      `${results.length} of ${files.length} files have run; node.exe ended with ${code}\n${stderr.slice(-2_000)}`,
    );
  }
  const title = `${name}: ${passed} tests in ${files.length} files${known > 0 ? `, and ${known} of suites/list.mjs` : ''}`;
  return { name: title, ms: performance.now() - begun, problem: problems.length > 0 ? problems.join('\n') : undefined };
}

function resultOf(results, windows) {
  const failed = results.flatMap(({ file, failed }) => failed.map((each) => ({ file, ...each })));
  const unknown = failed.filter(({ file, name }) => limitOf(file, name, windows) === undefined);
  return {
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    known: failed.length - unknown.length,
    problems: unknown.map(({ file, name, problem }) => `${file}: ${name}\n${problem}`),
  };
}

function urlOf({ isWine, path }, file) {
  return isWine ? `file:///${path(file).replaceAll('\\', '/')}` : pathToFileURL(file).href;
}
