const noticed = ['Killed', 'Timeout'];
/** Changes that are no program, and those that were left out: they say nothing about the tests. */
const unusable = ['CompileError', 'RuntimeError', 'Ignored'];

/**
 * What a report of StrykerJS says of the tests.
 *
 * @param report - As of https://github.com/stryker-mutator/mutation-testing-elements/tree/master/packages/report-schema.
 * @param equivalent - Changes that no test can notice; see equivalent.mjs.
 * @returns `killed` of `counted` changes, those that survived, and the entries of `equivalent` that match none of them.
 */
export function scoreOf(report, equivalent) {
  const mutants = Object.entries(report.files).flatMap(([file, { source, mutants: own }]) => {
    const lines = source.split('\n');
    return own.map(({ status, replacement, location: { start, end } }) => ({
      ...{ file, status, change: replacement },
      place: `${file}:${start.line}:${start.column}`,
      line: lines[start.line - 1].trim(),
      code: textBetween(lines, start, end),
    }));
  });
  const files = new Set(Object.keys(report.files));
  const isEquivalent = (mutant) => equivalent.some((entry) => matches(entry, mutant));
  const alive = mutants.filter(({ status }) => !noticed.includes(status) && !unusable.includes(status));
  const killed = mutants.filter(({ status }) => noticed.includes(status)).length;
  const survivors = alive.filter((mutant) => !isEquivalent(mutant));
  return {
    killed,
    counted: killed + survivors.length,
    survivors,
    stale: equivalent.filter((entry) => files.has(entry.file) && !alive.some((mutant) => matches(entry, mutant))),
  };
}

function matches(entry, mutant) {
  return entry.file === mutant.file && entry.line === mutant.line && entry.change === mutant.change;
}

/** Lines and columns count from 1; the end is behind the last character. */
function textBetween(lines, start, end) {
  if (start.line === end.line) return lines[start.line - 1].slice(start.column - 1, end.column - 1);
  const inner = lines.slice(start.line, end.line - 1);
  return [lines[start.line - 1].slice(start.column - 1), ...inner, lines[end.line - 1].slice(0, end.column - 1)].join(
    '\n',
  );
}
