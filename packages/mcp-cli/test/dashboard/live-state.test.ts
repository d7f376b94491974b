import { expect, test } from 'vitest';
import { initialState, type LiveState, nextState } from '../../dashboard/src/live-state.js';
import type { Changes, ServerView } from '../../src/dashboard/page-messages.js';

const server = (name: string, restarts = 0) => ({ name, restarts }) as ServerView;
const sample = (at: number) => ({ at, state: 'running', health: 'unknown' }) as const;
const nothing: Changes = { at: 1_000, removed: [], servers: [], samples: {}, calls: [] };
const known: LiveState = nextState(
  initialState,
  {
    type: 'snapshot',
    snapshot: {
      at: 1_000,
      servers: [server('one'), server('two')],
      samples: { one: [sample(1)], two: [sample(2)] },
      calls: [],
      approvals: [],
    },
  },
  1_000,
);
const after = (changes: Partial<Changes>, now = 1_000) =>
  nextState(known, { type: 'changes', changes: { ...nothing, ...changes } }, now);

test('unchanged parts stay the same objects, so that they are not redrawn', () => {
  const state = after({ servers: [server('two', 1)] });
  expect(state.servers[0]).toBe(known.servers[0]);
  expect(state.servers[1]).toEqual(server('two', 1));
  expect(state.samples).toBe(known.samples);
  expect(after({}).servers).toBe(known.servers);
});

test('a removed server loses its history, also when it is added again', () => {
  const gone = after({ removed: ['one'] });
  expect(gone.servers).toEqual([server('two')]);
  expect(gone.samples).toEqual({ two: [sample(2)] });
  const back = after({ removed: ['one'], servers: [server('one', 1)], samples: { one: [sample(9)] } });
  expect(back.servers).toEqual([server('one', 1), server('two')]);
  expect(back.samples.one).toEqual([sample(9)]);
});

test('calls that wait are replaced as a whole', () => {
  const call = { id: 'a', tool: 't', expiresAt: 0, text: '', isCut: false };
  const waiting = after({ approvals: [call] });
  expect(waiting.approvals).toEqual([call]);
  expect(nextState(waiting, { type: 'changes', changes: nothing }, 1_000).approvals).toBe(waiting.approvals);
  expect(nextState(waiting, { type: 'changes', changes: { ...nothing, approvals: [] } }, 1_000).approvals).toEqual([]);
});

test('samples of the snapshot are not added twice', () => {
  expect(after({ samples: { one: [sample(1), sample(5)] } }).samples.one).toEqual([sample(1), sample(5)]);
});

test('a different clock is detected, and network delay is ignored', () => {
  expect(after({ at: 1_000 }, 1_900).clockAheadMs).toBe(0);
  expect(after({ at: 1_000 }, 3_601_000).clockAheadMs).toBe(3_600_000);
  expect(after({ at: 7_201_000 }, 1_000).clockAheadMs).toBe(-7_200_000);
});

test('the last state stays during a lost connection, with the time of the loss', () => {
  const lost = nextState(known, { type: 'lost', reason: 'gone' }, 5_000);
  const still = nextState(lost, { type: 'lost', reason: 'still gone' }, 9_000);
  expect(still.connection).toEqual({ phase: 'lost', reason: 'still gone', since: 5_000 });
  expect(still.servers).toBe(known.servers);
  const ended = nextState(still, { type: 'ended', reason: 'for good' }, 10_000);
  expect(ended.connection).toEqual({ phase: 'ended', reason: 'for good', since: 5_000 });
});
