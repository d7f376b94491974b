// Rates of calls beside the processor time that they take: on a busy machine rates scatter more than telemetry costs.
import { medianOf, printTable, ratioOf } from './measurement.mjs';
import { processorTimeOf } from './process-time.mjs';

/**
 * Calls `calls` times, `lanes` at once.
 *
 * @param pids - Processes whose processor time counts.
 * @returns Calls a second, and µs of processor time a call.
 */
export async function costOfCalls(call, { lanes, calls, pids }) {
  let left = calls;
  const usedBefore = usedBy(pids);
  const startedAt = performance.now();
  const lane = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { rate: (calls / (performance.now() - startedAt)) * 1_000, cpu: (usedBy(pids) - usedBefore) / calls };
}

function usedBy(pids) {
  return pids.reduce((sum, pid) => sum + (processorTimeOf(pid) ?? Number.NaN), 0);
}

/**
 * Other programs of the machine only add to processor times, so their lower quarter is compared.
 *
 * @param measured - Of `interleaved`. Compared with its contender `off`.
 */
export function printCosts(title, measured) {
  const of = (name, field) => measured.get(name).map((each) => each[field]);
  const rows = Array.from(measured.keys(), (name) => {
    const cpu = of(name, 'cpu');
    return [
      name,
      medianOf(of(name, 'rate')).toFixed(0),
      ratioOf(of(name, 'rate'), of('off', 'rate')).toFixed(2),
      lowerQuarterOf(cpu).toFixed(1),
      medianOf(cpu).toFixed(1),
      (lowerQuarterOf(cpu) / lowerQuarterOf(of('off', 'cpu'))).toFixed(3),
    ];
  });
  const head = ['', 'calls/s', 'ratio to off', 'processor time of a call, µs', 'median', 'ratio to off'];
  printTable(title, [head, ...rows]);
}

function lowerQuarterOf(values) {
  return values.toSorted((a, b) => a - b)[Math.round((values.length - 1) / 4)];
}
