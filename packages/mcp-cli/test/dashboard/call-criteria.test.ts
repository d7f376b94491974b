import { expect, test } from 'vitest';
import { callsLike, durationLimit } from '../../dashboard/src/views/call-criteria.js';
import type { CallView } from '../../src/dashboard/page-messages.js';

const any = { q: '', tool: '', server: '', client: '', role: '', outcome: '', took: '', since: '', until: '' };
const at = Date.parse('2026-11-29T12:00:00');
const call = (id: number, fields: Partial<CallView> = {}): CallView => ({
  id,
  at: at + id * 1_000,
  tool: 'mcp__git__log',
  outcome: 'ok',
  durationMs: id * 100,
  ...fields,
});
const calls = [call(1), call(2), call(3), call(4, { durationMs: undefined, outcome: 'running' })];
const idsLike = (chosen: Partial<typeof any>) =>
  calls.filter(callsLike({ ...any, ...chosen }, new Set())).map(({ id }) => id);

test.each([
  ['>100ms', [2, 3]],
  ['> 0.2 s', [3]],
  ['< 200', [1]],
  ['200 ms', [2, 3]],
  ['1 min', []],
  ['slow', [1, 2, 3, 4]], // no duration: the page says so beside the field
  ['', [1, 2, 3, 4]],
])('of the duration %j are the calls %j', (took, ids) => {
  expect(idsLike({ took })).toEqual(ids);
});

test.each(['>', 'ms', '100 h', '1e9', '-5', '>=5'])('%j is no duration', (text) => {
  expect(durationLimit(text)).toBeUndefined();
});

test('a span of time has the calls that began within, with both seconds that it names', () => {
  expect(idsLike({ since: '2026-11-29T12:00:02' })).toEqual([2, 3, 4]);
  expect(idsLike({ until: '2026-11-29T12:00:02' })).toEqual([1, 2]);
  expect(idsLike({ since: '2026-11-29T12:00:02', until: '2026-11-29T12:00:02' })).toEqual([2]);
});

test('filters are joined by "and"', () => {
  expect(idsLike({ took: '>100', until: '2026-11-29T12:00:02', outcome: 'ok', q: 'GIT' })).toEqual([2]);
});
