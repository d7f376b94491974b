import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  initialState,
  nextState,
  type RestartRules,
  type ServerInput,
  type ServerState,
} from '../../src/supervisor/next-state.js';

const rules: RestartRules = {
  restartOnFailure: true,
  maxRestartAttempts: 3,
  maxHealthMisses: 3,
  delayMs: (failures) => failures * 100,
};

/** What a test says in place of an input: `present` stands for the generation that is there when it is its turn. */
type Move =
  | { readonly type: 'start' | 'restart' | 'wanted' | 'stop' | 'close' }
  | { readonly type: 'gone'; readonly isStuck: boolean }
  | { readonly type: 'told'; readonly input: DistributiveOmit<TaggedInput, 'generation'>; readonly age: number };

type TaggedInput = Extract<ServerInput, { generation: number }>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The shell of the machine without a process: starts and ends generations as the real one does. */
class Shell {
  state: ServerState = initialState;
  readonly starts: number[] = [];
  readonly live = new Set<number>();
  readonly #rules: RestartRules;

  constructor(rulesOfThis: RestartRules = rules) {
    this.#rules = rulesOfThis;
  }

  do(move: Move): void {
    if (move.type === 'gone') this.#processGone(move.isStuck);
    else if (move.type === 'told')
      this.give({ ...move.input, generation: this.state.generation - move.age } as ServerInput);
    else this.give({ type: move.type });
  }

  give(input: ServerInput): void {
    const previous = this.state;
    this.state = nextState(previous, input, this.#rules);
    const { phase, generation } = this.state;
    if (phase === 'starting' && generation !== previous.generation) {
      this.starts.push(generation);
      this.live.add(generation);
    }
  }

  #processGone(isStuck: boolean): void {
    if (this.state.phase !== 'stopping') return;
    const { generation } = this.state;
    this.live.delete(generation);
    this.give(isStuck ? { type: 'stuck', generation, cause: 'stuck' } : { type: 'stopped', generation });
  }
}

const catalog = fc.constantFrom('complete', 'partial', 'unavailable');
const command = fc.constantFrom('start', 'restart', 'wanted', 'stop', 'close').map((type): Move => ({ type }));
const input: fc.Arbitrary<DistributiveOmit<TaggedInput, 'generation'>> = fc.oneof(
  fc.record({ type: fc.constant('step' as const), step: fc.constantFrom('spawn', 'handshake', 'tools') }),
  fc.record({ type: fc.constantFrom('ready', 'relisted'), catalog }),
  fc.record({ type: fc.constantFrom('settled', 'delay-over') }),
  fc.record({ type: fc.constant('health' as const), isAlive: fc.boolean(), cause: fc.constant('silent') }),
  fc.record({
    type: fc.constant('lost' as const),
    kind: fc.constantFrom('clean', 'transient', 'permanent'),
    cause: fc.constant('exit'),
  }),
);
// Mostly of the present generation; now and then a late one, and one that nobody can have sent.
const age = fc.constantFrom(0, 0, 0, 0, 0, 1, 2, -1);
const anyMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: command.filter(({ type }) => type !== 'close') },
  { weight: 1, arbitrary: command },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('told' as const), input, age }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('gone' as const), isStuck: fc.constant(false) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('gone' as const), isStuck: fc.boolean() }) },
);
const history = fc.array(anyMove, { maxLength: 60 });
const runs = { numRuns: 3_000 };

function replay(moves: readonly Move[], check?: (shell: Shell, previous: ServerState, move: Move) => void): Shell {
  const shell = new Shell();
  for (const move of moves) {
    const previous = shell.state;
    shell.do(move);
    check?.(shell, previous, move);
  }
  return shell;
}

function hasProcess({ phase }: ServerState): boolean {
  return phase === 'starting' || phase === 'ready' || phase === 'stopping';
}

/** Failures with those that are counted in what comes next. */
function failures(state: ServerState): number {
  return state.phase === 'stopping' ? state.then.failures : state.failures;
}

const told = (what: DistributiveOmit<TaggedInput, 'generation'>): Move => ({ type: 'told', input: what, age: 0 });
const gone: Move = { type: 'gone', isStuck: false };
const ready = told({ type: 'ready', catalog: 'complete' });
const lost = told({ type: 'lost', kind: 'transient', cause: 'exit' });
const delayOver = told({ type: 'delay-over' });

test('whatever happens, no generation starts before the process of the one before is gone', () => {
  fc.assert(
    fc.property(history, (moves) => {
      replay(moves, ({ live, state }) => {
        if (live.size !== (hasProcess(state) ? 1 : 0)) expect.fail(`${live.size} processes in ${state.phase}`);
      });
    }),
    runs,
  );
});

test('whatever happens, each generation starts once and the numbers only grow', () => {
  fc.assert(
    fc.property(history, (moves) => {
      const { starts } = replay(moves, ({ state }, previous) => {
        if (state.generation < previous.generation) expect.fail(`${previous.generation} → ${state.generation}`);
      });
      expect(starts).toEqual(starts.map((_, index) => index + 1));
    }),
    runs,
  );
});

test('what belongs to another generation changes nothing', () => {
  fc.assert(
    fc.property(history, input, fc.constantFrom(1, 2, -1), (moves, what, distance) => {
      const shell = replay(moves);
      const before = shell.state;
      shell.do({ type: 'told', input: what, age: distance });
      expect(shell.state).toBe(before);
    }),
    runs,
  );
});

test('whatever happened before, close is final', () => {
  fc.assert(
    fc.property(history, history, (before, after) => {
      const shell = replay([...before, { type: 'close' }, gone]);
      expect(shell.state.phase).toBe('closed');
      const closed = shell.state;
      for (const move of after) shell.do(move);
      expect(shell.state).toBe(closed);
    }),
    runs,
  );
});

test('after close, nothing but the end of the process changes anything', () => {
  fc.assert(
    fc.property(history, history, (before, after) => {
      const shell = replay([...before, { type: 'close' }]);
      const { starts } = shell;
      const count = starts.length;
      for (const move of after) shell.do(move);
      shell.do(gone);
      expect(shell.state.phase).toBe('closed');
      expect(starts).toHaveLength(count);
    }),
    runs,
  );
});

test('whatever happened before, stop ends in idle when the process is gone', () => {
  fc.assert(
    fc.property(history, (moves) => {
      const shell = replay(moves);
      const wasClosed = shell.state.phase === 'closed' || nextPhase(shell.state) === 'closed';
      shell.do({ type: 'stop' });
      shell.do(gone);
      expect(shell.state.phase).toBe(wasClosed ? 'closed' : 'idle');
    }),
    runs,
  );
});

test('whatever happened before, start and restart end in a start when the old process is gone', () => {
  fc.assert(
    fc.property(history, fc.constantFrom('start', 'restart'), (moves, type) => {
      const shell = replay(moves);
      fc.pre(shell.state.phase !== 'closed' && nextPhase(shell.state) !== 'closed');
      shell.do({ type });
      shell.do(gone);
      expect(['starting', ...(type === 'start' ? ['ready'] : [])]).toContain(shell.state.phase);
    }),
    runs,
  );
});

test('failures are forgotten by start, restart and a stable period alone', () => {
  fc.assert(
    fc.property(history, (moves) => {
      replay(moves, ({ state }, previous, move) => {
        if (failures(state) >= failures(previous)) return;
        const cause = move.type === 'told' ? move.input.type : move.type;
        expect(['start', 'restart', 'settled']).toContain(cause);
      });
    }),
    runs,
  );
});

test('each step of the life is one that the table allows', () => {
  const allowed: Readonly<Record<ServerState['phase'], readonly ServerState['phase'][]>> = {
    idle: ['idle', 'starting', 'closed'],
    starting: ['starting', 'ready', 'stopping'],
    ready: ['ready', 'stopping'],
    stopping: ['stopping', 'idle', 'starting', 'backoff', 'parked', 'failed', 'closed'],
    backoff: ['backoff', 'starting', 'idle', 'closed'],
    parked: ['parked', 'starting', 'idle', 'closed'],
    failed: ['failed', 'starting', 'idle', 'closed'],
    closed: ['closed'],
  };
  fc.assert(
    fc.property(history, (moves) => {
      replay(moves, ({ state }, previous) => {
        if (!allowed[previous.phase].includes(state.phase)) expect.fail(`${previous.phase} → ${state.phase}`);
      });
    }),
    runs,
  );
});

test('a crash loop is parked after as many restarts as are allowed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), fc.array(fc.boolean()), (maxRestartAttempts, readiness) => {
      const shell = new Shell({ ...rules, maxRestartAttempts });
      shell.do({ type: 'wanted' });
      for (let round = 0; shell.state.phase !== 'parked' && round < 50; round += 1) {
        if (readiness[round]) shell.do(ready); // being ready for a moment does not clear the history
        for (const move of [lost, gone, delayOver]) shell.do(move);
      }
      expect(shell.state).toMatchObject({ phase: 'parked', failures: maxRestartAttempts + 1, cause: 'exit' });
      expect(shell.starts).toHaveLength(maxRestartAttempts + 1);
      shell.do({ type: 'wanted' });
      expect(shell.state.phase).toBe('parked');
      shell.do({ type: 'start' });
      expect(shell.state).toMatchObject({ phase: 'starting', failures: 0, after: 'failure' });
    }),
  );
});

test('a stable period gives a server its restarts back', () => {
  const fall = [ready, lost, gone, delayOver];
  const shell = replay([{ type: 'start' }, ...fall, ...fall, ready]);
  expect(shell.state).toMatchObject({ phase: 'ready', failures: 2 });
  shell.do(told({ type: 'settled' }));
  expect(shell.state).toMatchObject({ phase: 'ready', failures: 0 });
});

test('a failure that cannot pass, and one that must not be retried, waits for a person', () => {
  const permanent = told({ type: 'lost', kind: 'permanent', cause: 'no such command' });
  expect(replay([{ type: 'start' }, permanent, gone]).state).toMatchObject({ phase: 'failed', failures: 1 });
  const shell = new Shell({ ...rules, restartOnFailure: false });
  for (const move of [{ type: 'start' } as const, ready, lost, gone]) shell.do(move);
  expect(shell.state).toMatchObject({ phase: 'failed', cause: 'exit' });
  shell.do({ type: 'wanted' });
  expect(shell.state.phase).toBe('failed');
});

test('a clean exit rests the server without a failure, and a call wakes it', () => {
  const shell = replay([{ type: 'wanted' }, ready, told({ type: 'lost', kind: 'clean', cause: 'exit 0' }), gone]);
  expect(shell.state).toMatchObject({ phase: 'idle', failures: 0 });
  shell.do({ type: 'wanted' });
  expect(shell.state).toMatchObject({ phase: 'starting', generation: 2, after: 'rest' });
});

test('a call that comes while a clean exit is being tidied up waits for the next generation', () => {
  const shell = replay([{ type: 'wanted' }, ready, told({ type: 'lost', kind: 'clean', cause: 'exit 0' })]);
  shell.do({ type: 'wanted' });
  expect(shell.live).toEqual(new Set([1]));
  shell.do(gone);
  expect(shell.state).toMatchObject({ phase: 'starting', generation: 2 });
});

test('a call does not hurry a back-off', () => {
  const shell = replay([{ type: 'start' }, lost, gone]);
  const waiting = shell.state;
  expect(waiting).toMatchObject({ phase: 'backoff', delayMs: 100, cause: 'exit' });
  shell.do({ type: 'wanted' });
  expect(shell.state).toBe(waiting);
});

test('stopping a server that fell keeps its failure in the count', () => {
  expect(replay([{ type: 'start' }, lost, { type: 'stop' }, gone]).state).toMatchObject({ phase: 'idle', failures: 1 });
});

test('misses count in a row, and the last one that is allowed ends the process', () => {
  const miss = told({ type: 'health', isAlive: false, cause: 'silent' });
  const alive = told({ type: 'health', isAlive: true });
  expect(replay([{ type: 'start' }, ready, miss, miss, alive, miss, miss]).state).toMatchObject({ misses: 2 });
  const { state } = replay([{ type: 'start' }, ready, miss, miss, miss]);
  expect(state.phase === 'stopping' && state.then).toMatchObject({ phase: 'backoff', failures: 1, cause: 'silent' });
});

test('a process that outlives SIGKILL keeps a second one from starting by itself', () => {
  const stuck: Move = { type: 'gone', isStuck: true };
  const shell = replay([{ type: 'start' }, ready, { type: 'restart' }, stuck]);
  expect(shell.state).toMatchObject({ phase: 'failed', generation: 1, cause: 'stuck' });
  expect(replay([{ type: 'start' }, { type: 'close' }, stuck]).state.phase).toBe('closed');
});

function nextPhase(state: ServerState): ServerState['phase'] | undefined {
  return state.phase === 'stopping' ? state.then.phase : undefined;
}
