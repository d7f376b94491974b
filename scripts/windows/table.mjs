/** A line for each result: what came of it, its time, its group and its name. */
export function table(rows) {
  const width = Math.max(0, ...rows.map(({ group }) => group.length));
  const lines = rows.map(({ group, name, problem, ms }) => {
    const seconds = `${(ms / 1_000).toFixed(1)} s`.padStart(7);
    return `  ${problem === undefined ? 'ok  ' : 'FAIL'}  ${seconds}  ${group.padEnd(width)}  ${name}`;
  });
  return lines.join('\n');
}
