/**
 * What became of each call, held against what the servers recorded.
 *
 * @param records - One for each call of the plan: `{ id, server, way, outcome, text?, code?, retryable?, ms }`. `outcome` is
 *   `ok`, `failed`, or `lost` for a call that had no answer in time.
 * @param effects - What the servers recorded, as `server id` a line.
 */
export function countFaults(records, effects) {
  const done = new Map();
  for (const line of effects) done.set(line, (done.get(line) ?? 0) + 1);
  const timesDone = ({ server, id }) => done.get(`${server} ${id}`) ?? 0;
  const expected = new Set(records.map(({ server, id }) => `${server} ${id}`));
  const count = (judge) => records.filter(judge).length;
  return {
    lost: count(({ outcome }) => outcome === 'lost'),
    repeated: count((record) => timesDone(record) > 1),
    // The answer of another call, an answer to nothing that was done, or a call that reached another server.
    wrong:
      count(
        (record) =>
          record.outcome === 'ok' && (record.text !== `${record.server} ${record.id}` || timesDone(record) === 0),
      ) + [...done.keys()].filter((line) => !expected.has(line)).length,
    retryableButDone: count((record) => record.retryable === true && timesDone(record) > 0),
  };
}

/** How many calls ended in each way: `ok`, `lost`, or the code of the failure. Most first. */
export function countOutcomes(records) {
  const counts = new Map();
  for (const { outcome, code } of records) {
    const name = outcome === 'failed' ? code : outcome;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].toSorted(([, left], [, right]) => right - left);
}
