import { countPassed, failures, lostChecks } from './checks.mjs';

/**
 * Compares what two clients did in the same scenarios.
 * @param {object} results
 * @param {Map<string, { checks: Map<string, string>, stderr: string }>} results.sdk - By scenario.
 * @param {Map<string, { checks: Map<string, string>, stderr: string }>} results.manager
 * @param {readonly { scenario: string }[]} expected - What the manager is known to fail.
 * @returns {{ rows: string[], faults: string[] }} For people: one line a scenario, and what has to be looked at.
 */
export function compareClients({ sdk, manager }, expected) {
  const known = new Map(expected.map((entry) => [entry.scenario, entry]));
  const scenarios = new Set([...sdk.keys(), ...manager.keys(), ...known.keys()]);
  const compared = [...scenarios].map((scenario) => {
    if (!sdk.has(scenario) && !manager.has(scenario)) {
      return { row: `${scenario}: not in the suite`, faults: [`${scenario} is listed and not in the suite`] };
    }
    const [theirs, ours] = [sdk, manager].map((results) => results.get(scenario) ?? missing);
    const lost = lostChecks(theirs.checks, ours.checks);
    const row = `${scenario}: SDK ${sum(theirs)}, manager ${sum(ours)}${known.has(scenario) ? ', expected to fail' : ''}`;
    return { row, faults: faultsOf({ scenario, theirs, ours, lost, isKnown: known.has(scenario) }) };
  });
  return { rows: compared.map(({ row }) => row), faults: compared.flatMap(({ faults }) => faults) };
}

const missing = { checks: new Map([['scenario', 'FAILURE']]), stderr: 'It is not in the results.' };

function faultsOf({ scenario, theirs, ours, lost, isKnown }) {
  const failed = [...new Set([...failures(ours.checks), ...lost])];
  if (failed.length === 0) return isKnown ? [`${scenario} passes and is listed as an expected failure`] : [];
  const passesThere = failures(theirs.checks).length === 0;
  if (isKnown && !passesThere) return [];
  const there = passesThere ? 'passes with the SDK' : 'fails with the SDK too and is not listed';
  return [`${scenario} ${there}: ${failed.join(', ')}\n${ours.stderr.trim().slice(0, 2_000)}`];
}

function sum({ checks }) {
  const { passed, counted } = countPassed(checks.values());
  return `${passed}/${counted}`;
}
