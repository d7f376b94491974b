// Promise: a call without interceptors costs nothing more, and each interceptor that passes at most 1 µs.
// In one process, with a source that answers at once: node bench/interceptors.mjs
import { createRegistry } from '../packages/mcp-registry/dist/index.js';
import { medianOf, numbersFrom, printConditions, printTable } from './measurement.mjs';

const { calls: CALLS, rounds: ROUNDS } = numbersFrom({ calls: 20_000, rounds: 15 });

const passing = (count, make) => Array.from({ length: count }, (_, index) => make(`step ${index}`));
const calling = (name) => ({ name, call: (_call, next) => next() });
const awaiting = (name) => ({ name, call: async (_call, next) => await next() });
const reading = (name) => ({ name, result: (result) => result });

const cases = {
  none: [],
  '1 that passes calls': passing(1, calling),
  '10 that pass calls': passing(10, calling),
  '10 that await calls': passing(10, awaiting),
  '10 that pass results': passing(10, reading),
};

const answer = { content: [] };
const source = {
  name: 'files',
  heedsSignals: true,
  listTools: () => [{ name: 'read', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }],
  callTool: async () => answer,
};

const registries = new Map();
for (const [name, interceptors] of Object.entries(cases)) {
  const registry = createRegistry({ interceptors });
  await registry.attach(source).ready;
  registries.set(name, registry);
}

const taken = new Map(Array.from(registries.keys(), (name) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, registry] of registries) {
    const startedAt = performance.now();
    for (let call = 0; call < CALLS; call++) await registry.call('mcp__files__read', { path: 'a' });
    taken.get(name).push(((performance.now() - startedAt) * 1_000) / CALLS);
  }
}

const none = medianOf(taken.get('none'));
printTable('Calls through interceptors', [
  ['', 'µs per call, median', 'of none', 'µs per interceptor'],
  ...Array.from(taken, ([name, each]) => {
    const median = medianOf(each);
    const count = cases[name].length;
    const own = count === 0 ? '' : ((median - none) / count).toFixed(2);
    return [name, median.toFixed(2), (median / none).toFixed(2), own];
  }),
]);
printConditions({ how: [`${CALLS} calls per round, ${ROUNDS} rounds, rows alternate`] });
