const bad = new Set(['FAILURE', 'WARNING']);

/**
 * Compares what two clients did in the same scenarios.
 * @param {object} results
 * @param {Map<string, { checks: Map<string, string>, stderr: string }>} results.sdk - By scenario.
 * @param {Map<string, { checks: Map<string, string>, stderr: string }>} results.manager
 * @param {readonly { scenario: string }[]} expected - What the manager is known to fail.
 * @returns {{ rows: string[], faults: string[] }} For people: one line a scenario, and what has to be looked at.
 */
export function compare({ sdk, manager }, expected) {
  const known = new Map(expected.map((entry) => [entry.scenario, entry]));
  const scenarios = new Set([...sdk.keys(), ...manager.keys(), ...known.keys()]);
  const compared = [...scenarios].map((scenario) => {
    if (!sdk.has(scenario) && !manager.has(scenario)) {
      return { row: `${scenario}: not in the suite`, faults: [`${scenario} is listed and not in the suite`] };
    }
    const [theirs, ours] = [sdk, manager].map((results) => results.get(scenario) ?? missing);
    const lost = lostChecks(theirs, ours);
    const row = `${scenario}: SDK ${sum(theirs)}, manager ${sum(ours)}${known.has(scenario) ? ', expected to fail' : ''}`;
    return { row, faults: faultsOf({ scenario, theirs, ours, lost, isKnown: known.has(scenario) }) };
  });
  return { rows: compared.map(({ row }) => row), faults: compared.flatMap(({ faults }) => faults) };
}

const missing = { checks: new Map([['scenario', 'FAILURE']]), stderr: 'It is not in the results.' };

function faultsOf({ scenario, theirs, ours, lost, isKnown }) {
  const failed = [...new Set([...failures(ours), ...lost])];
  if (failed.length === 0) return isKnown ? [`${scenario} passes and is listed as an expected failure`] : [];
  const passesThere = failures(theirs).length === 0;
  if (isKnown && !passesThere) return [];
  const there = passesThere ? 'passes with the SDK' : 'fails with the SDK too and is not listed';
  return [`${scenario} ${there}: ${failed.join(', ')}\n${ours.stderr.trim().slice(0, 2_000)}`];
}

function failures({ checks }) {
  return [...checks].filter(([, status]) => bad.has(status)).map(([check]) => check);
}

/** What the SDK's client was seen to do and the manager was not. */
function lostChecks(theirs, ours) {
  const passed = [...theirs.checks].filter(([, status]) => status === 'SUCCESS').map(([check]) => check);
  return passed.filter((check) => ours.checks.get(check) !== 'SUCCESS');
}

function sum({ checks }) {
  const counted = [...checks.values()].filter((status) => status === 'SUCCESS' || bad.has(status));
  return `${counted.filter((status) => status === 'SUCCESS').length}/${counted.length}`;
}
