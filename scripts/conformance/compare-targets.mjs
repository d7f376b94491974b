import { countPassed, failures, lostChecks, worstStatuses } from './checks.mjs';

/**
 * Compares how the same server does when it is reached in several ways.
 * @param {Map<string, Map<string, { id: string, status: string, errorMessage?: string }[]>>} results - The checks, by
 *   target and scenario. The first target is the one that the others are measured by.
 * @param {readonly { target: string, scenario: string }[]} expected - What is known to fail.
 * @param {object} [options]
 * @param {boolean} [options.mayFail] - Whether the first target may fail, and the others the same. Default: false.
 * @returns {{ rows: string[], faults: string[] }} For people: a table, and what has to be looked at.
 */
export function compareTargets(results, expected, { mayFail = false } = {}) {
  const [[first, reference]] = results;
  const scenarios = [...new Set([...results.values()].flatMap((outcome) => [...outcome.keys()]))];
  const unknown = expected.filter(({ scenario }) => !scenarios.includes(scenario));
  const faults = [...results].flatMap(([target, outcome]) =>
    scenarios.flatMap((scenario) => {
      const isListed = (by) => expected.some((entry) => entry.target === by && entry.scenario === scenario);
      const seen = failedChecks(outcome.get(scenario), target === first ? [] : reference.get(scenario));
      const alike = mayFail ? failures(worstStatuses(reference.get(scenario) ?? [])) : [];
      const failed = seen.flatMap(({ id, said }) => (alike.includes(id) ? [] : [`${id}: ${said}`]));
      if (failed.length === 0)
        return isListed(target) ? [`${target}: ${scenario} passes and is listed as an expected failure`] : [];
      return isListed(target) || isListed(first) ? [] : [`${target}: ${scenario} fails\n  ${failed.join('\n  ')}`];
    }),
  );
  return {
    rows: tableOf(scenarios, results),
    faults: [...unknown.map(({ scenario }) => `${scenario} is listed and not in the suite`), ...faults],
  };
}

/** What failed, and what was seen to pass at the reference and was not seen here; each with what the suite says of it. */
function failedChecks(
  checks = [{ id: 'scenario', status: 'FAILURE', errorMessage: 'not in the results' }],
  reference = [],
) {
  const worst = worstStatuses(checks);
  const names = new Set([...failures(worst), ...lostChecks(worstStatuses(reference), worst)]);
  return [...names].map((name) => {
    const said = checks.find(({ id, errorMessage }) => id === name && errorMessage)?.errorMessage;
    return { id: name, said: said ?? 'passes elsewhere, and was not seen to pass here' };
  });
}

function tableOf(scenarios, results) {
  const lines = scenarios.map((scenario) => [
    scenario,
    ...[...results.values()].map((outcome) => countPassed(statusesOf(outcome.get(scenario)))),
  ]);
  const sums = [...results.values()].map((outcome) => countPassed([...outcome.values()].flatMap(statusesOf)));
  const cells = [
    ['scenario', ...results.keys()],
    ...[...lines, [`all ${scenarios.length}`, ...sums]].map(([name, ...counts]) => [name, ...counts.map(sumOf)]),
  ];
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  return cells.map(([name, ...counts]) =>
    [name.padEnd(widths[0]), ...counts.map((count, index) => count.padStart(widths[index + 1]))].join('  '),
  );
}

function statusesOf(checks = []) {
  return checks.map(({ status }) => status);
}

function sumOf({ passed, counted }) {
  return `${passed}/${counted}`;
}
