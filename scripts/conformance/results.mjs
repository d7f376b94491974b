import { readFile, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { countPassed } from './checks.mjs';
import { conformancePage } from './results-page.mjs';
import { version } from './suite.mjs';

/** What the last `--write` measured, and the page that is made of it. */
const dataFile = new URL('../../docs/conformance.json', import.meta.url);
export const pageFile = new URL('../../docs/conformance.md', import.meta.url);

/** @param {Map<string, { status: string }[]>} outcome - The checks of a server, by scenario. */
export function sumOfChecks(outcome) {
  const statuses = [...outcome.values()].flat().map(({ status }) => status);
  return { scenarios: outcome.size, ...countPassed(statuses) };
}

/** @param {Map<string, { checks: Map<string, string> }>} outcome - What a client did, by scenario. */
export function sumOfStatuses(outcome) {
  const statuses = [...outcome.values()].flatMap(({ checks }) => [...checks.values()]);
  return { scenarios: outcome.size, ...countPassed(statuses) };
}

/**
 * Compares the results of one half with the data in the repository.
 * @param {'client' | 'server'} half
 * @param {object} measured - By run and target.
 * @param {object} options
 * @param {boolean} options.write - Whether to write the data and the page instead.
 * @param {boolean} [options.isPart] - Whether `measured` lacks some runs and targets. Default: false.
 * @param {string[]} [options.order] - All runs, in the order of the page. Default: those of `measured`.
 */
export async function recordResults(half, measured, { write, isPart = false, order = Object.keys(measured) }) {
  const data = await readData();
  if (write) {
    if (isPart && data.suite !== version)
      throw new Error(`The other results are of the suite ${data.suite}. Make all runs again.`);
    const all = isPart ? { ...data[half], ...measured } : measured;
    const ordered = order.flatMap((run) => (run in all ? [[run, all[run]]] : []));
    const written = { ...data, suite: version, [half]: Object.fromEntries(ordered) };
    await writeFile(dataFile, `${JSON.stringify(written, undefined, 2)}\n`);
    await writeFile(pageFile, conformancePage(written));
    return;
  }
  const recorded = isPart ? sameTargets(data[half] ?? {}, measured) : data[half];
  if (data.suite === version && isDeepStrictEqual(recorded, measured)) return;
  throw new Error(
    `It has other results. Run the check with --write. Measured:\n${JSON.stringify(measured, undefined, 2)}`,
  );
}

/** What `data` has of the runs and targets in `measured`. */
function sameTargets(data, measured) {
  return Object.fromEntries(
    Object.entries(measured).map(([run, targets]) => [
      run,
      Object.fromEntries(Object.keys(targets).map((target) => [target, data[run]?.[target]])),
    ]),
  );
}

export async function readData() {
  const text = await readFile(dataFile, 'utf8').catch(() => '{}');
  return JSON.parse(text);
}
