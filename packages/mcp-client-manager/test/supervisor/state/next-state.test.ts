import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RestartRules } from '../../../src/supervisor/state/after-loss.js';
import { nextState } from '../../../src/supervisor/state/next-state.js';
import {
  aimOf,
  type Command,
  initialState,
  type Loss,
  type Report,
  type ServerInput,
  type ServerState,
} from '../../../src/supervisor/state/server-state.js';

const rules: RestartRules = {
  onFailure: true,
  eager: false,
  maxAttempts: 3,
  maxHealthMisses: 3,
  delayMs: (failures) => failures * 100,
  parkedDelayMs: () => 300_000,
  signInDelayMs: (retries) => retries * 1_000,
};

/** What a test says in place of an input. A report comes from the generation that is there when it is its turn. */
type Move =
  | { readonly type: 'command'; readonly command: Command }
  | { readonly type: 'report'; readonly report: Report; readonly age: number }
  | { readonly type: 'gone'; readonly isStuck: boolean };

/** The shell of the machine without a process: starts and ends generations as the real one does. */
class Shell {
  state: ServerState;
  readonly starts: number[] = [];
  readonly live = new Set<number>();
  readonly #rules: RestartRules;

  constructor(rulesOfThis: RestartRules = rules, { disabled = false } = {}) {
    this.#rules = rulesOfThis;
    this.state = initialState({ disabled });
  }

  do(...moves: readonly Move[]): this {
    for (const move of moves) {
      if (move.type === 'gone') this.#processGone(move.isStuck);
      else if (move.type === 'command') this.#give(move.command);
      else this.#give({ ...move.report, generation: this.state.generation - move.age });
    }
    return this;
  }

  #give(input: ServerInput): void {
    const previous = this.state;
    this.state = nextState(previous, input, this.#rules);
    const { phase, generation } = this.state;
    if (phase === 'starting' && previous.phase !== 'starting') {
      this.starts.push(generation);
      this.live.add(generation);
    }
  }

  #processGone(isStuck: boolean): void {
    if (this.state.phase !== 'stopping') return;
    const { generation } = this.state;
    this.live.delete(generation);
    this.#give(isStuck ? { type: 'stuck', generation, cause: 'stuck' } : { type: 'stopped', generation });
  }
}

const drainMs = fc.constantFrom(0, 10_000);
const reason = fc.constantFrom('manager-closed', 'removed');
const close = fc.record({ type: fc.constant('close' as const), drainMs, reason });
const otherCommand: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.oneof(
      fc.constant({ type: 'start' } as const),
      fc.record({ type: fc.constant('demand' as const), isRepaired: fc.boolean() }),
    ),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('enable' as const) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('restart', 'relaunch', 'stop'), drainMs }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('disable' as const), drainMs }) },
);
const cause = fc.constant('exit');
const loss: fc.Arbitrary<Loss> = fc.oneof(
  fc.record({ kind: fc.constant('clean' as const), isQuick: fc.boolean(), cause }),
  fc.record({
    kind: fc.constant('transient' as const),
    isInSleepGrace: fc.constantFrom(false, false, true),
    cause,
  }),
  fc.record({ kind: fc.constantFrom('permanent', 'auth-required', 'session-over'), cause }),
  fc.record({ kind: fc.constant('exhausted' as const), delayMs: fc.constant(250), cause }),
);
const catalog = fc.constantFrom('complete', 'partial', 'unavailable');
const report: fc.Arbitrary<Report> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ type: 'slot' } as const) },
  fc.record({ type: fc.constant('step' as const), step: fc.constantFrom('spawn', 'handshake', 'tools') }),
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('ready', 'relisted'), catalog }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom('steady', 'settled', 'unused', 'drained', 'retry-allowed', 'delay-over'),
    }),
  },
  fc.record({ type: fc.constant('health' as const), isAlive: fc.boolean(), isInSleepGrace: fc.boolean(), cause }),
  { weight: 2, arbitrary: fc.record({ type: fc.constant('lost' as const), loss }) },
  fc.record({ type: fc.constant('over-memory' as const), cause, drainMs }),
  fc.record({ type: fc.constant('frozen' as const), cause, isInSleepGrace: fc.boolean() }),
);
// Mostly of the present generation; now and then a late one, and one that is impossible.
const age = fc.constantFrom(0, 0, 0, 0, 0, 1, 2, -1);
const asCommand = (command: Command): Move => ({ type: 'command', command });
const anyMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 5, arbitrary: otherCommand.map(asCommand) },
  { weight: 1, arbitrary: close.map(asCommand) },
  { weight: 10, arbitrary: fc.record({ type: fc.constant('report' as const), report, age }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('gone' as const), isStuck: fc.constant(false) }) },
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

const processPhases: readonly ServerState['phase'][] = ['starting', 'ready', 'draining', 'stopping'];

const told = (what: Report): Move => ({ type: 'report', report: what, age: 0 });
const start = asCommand({ type: 'start' });
const wanted = asCommand({ type: 'demand' });
const stop = (drain = 0): Move => asCommand({ type: 'stop', drainMs: drain });
const restart = (drain = 0): Move => asCommand({ type: 'restart', drainMs: drain });
const relaunch = (drain = 0): Move => asCommand({ type: 'relaunch', drainMs: drain });
const disable = asCommand({ type: 'disable', drainMs: 0 });
const closing = asCommand({ type: 'close', drainMs: 0, reason: 'manager-closed' });
const gone: Move = { type: 'gone', isStuck: false };
const slot = told({ type: 'slot' });
const ready = told({ type: 'ready', catalog: 'complete' });
const lost = told({ type: 'lost', loss: { kind: 'transient', cause: 'exit' } });
const left = (isQuick: boolean): Move => told({ type: 'lost', loss: { kind: 'clean', isQuick, cause: 'exit 0' } });
const delayOver = told({ type: 'delay-over' });
const running = [start, slot, ready] as const;

function parkedShell(): Shell {
  const fall = [slot, lost, gone, delayOver] as const;
  return new Shell().do(start, ...fall, ...fall, ...fall, slot, lost, gone);
}

test('no generation starts before the previous process has ended', () => {
  fc.assert(
    fc.property(history, (moves) => {
      replay(moves, ({ live, state }) => {
        const expected = processPhases.includes(state.phase) ? [state.generation] : [];
        if (String([...live]) !== String(expected)) expect.fail(`${[...live]} live in ${state.phase}`);
      });
    }),
    runs,
  );
});

test('generation numbers only grow', () => {
  fc.assert(
    fc.property(history, (moves) => {
      const { starts } = replay(moves, ({ state }, previous) => {
        if (state.generation < previous.generation) expect.fail(`${previous.generation} → ${state.generation}`);
      });
      expect(starts).toEqual([...new Set(starts)].sort((one, other) => one - other));
    }),
    runs,
  );
});

test('reports of another generation change nothing', () => {
  fc.assert(
    fc.property(history, report, fc.constantFrom(1, 2, -1), (moves, what, distance) => {
      const shell = replay(moves);
      const before = shell.state;
      shell.do({ type: 'report', report: what, age: distance });
      expect(shell.state).toBe(before);
    }),
    runs,
  );
});

test('after close nothing starts any more, and when the process is gone nothing changes', () => {
  fc.assert(
    fc.property(history, close, history, history, (before, how, between, after) => {
      const shell = replay([...before, asCommand(how)]);
      const count = shell.starts.length;
      shell.do(...between, told({ type: 'drained' }), gone);
      expect(shell.state.phase).toBe('closed');
      const closed = shell.state;
      shell.do(...after);
      expect(shell.state).toBe(closed);
      expect(shell.starts).toHaveLength(count);
    }),
    runs,
  );
});

test('stop leads to idle from any state', () => {
  fc.assert(
    fc.property(history, drainMs, (moves, drain) => {
      const shell = replay(moves);
      const aim = aimOf(shell.state).phase;
      shell.do(stop(drain), told({ type: 'drained' }), gone);
      expect(shell.state.phase).toBe(aim === 'closed' || aim === 'disabled' ? aim : 'idle');
    }),
    runs,
  );
});

test('start and restart lead to a start from any state', () => {
  fc.assert(
    fc.property(history, fc.constantFrom('start', 'restart'), (moves, type) => {
      const shell = replay(moves);
      const { phase } = aimOf(shell.state);
      fc.pre(phase !== 'closed' && phase !== 'disabled');
      shell.do(type === 'start' ? start : restart(10_000), told({ type: 'drained' }), gone, slot);
      expect(['starting', ...(type === 'start' ? ['ready'] : [])]).toContain(shell.state.phase);
    }),
    runs,
  );
});

test('a server that is out of service starts by nothing but another spec', () => {
  fc.assert(
    fc.property(
      fc.array(anyMove.filter((move) => move.type !== 'command' || move.command.type !== 'enable')),
      (moves) => {
        const shell = new Shell(rules, { disabled: true }).do(...moves);
        expect(shell.starts).toEqual([]);
        expect(['disabled', 'closed']).toContain(shell.state.phase);
      },
    ),
    runs,
  );
});

test('only a user, another spec and healthy time clear failures', () => {
  fc.assert(
    fc.property(history, (moves) => {
      replay(moves, ({ state }, previous, move) => {
        if (aimOf(state).failures >= aimOf(previous).failures) return;
        const by = move.type === 'command' ? move.command.type : move.type === 'report' ? move.report.type : move.type;
        expect(['start', 'restart', 'relaunch', 'steady', 'settled']).toContain(by);
      });
    }),
    runs,
  );
});

test('one thing that happens counts as one failure at most', () => {
  fc.assert(
    fc.property(history, (moves) => {
      replay(moves, ({ state }, previous) => {
        expect(aimOf(state).failures - aimOf(previous).failures).toBeLessThanOrEqual(1);
      });
    }),
    runs,
  );
});

test('a failed tool list never ends a server', () => {
  fc.assert(
    fc.property(history, catalog, (moves, completeness) => {
      const shell = replay(moves);
      const { phase } = shell.state;
      shell.do(told({ type: 'relisted', catalog: completeness }));
      expect(shell.state.phase).toBe(phase);
    }),
    runs,
  );
});

test('each step of the life is one that the table allows', () => {
  const rest = ['disabled', 'idle', 'closed'] as const;
  const allowed: Readonly<Record<ServerState['phase'], readonly ServerState['phase'][]>> = {
    disabled: rest,
    idle: [...rest, 'queued'],
    queued: [...rest, 'queued', 'starting'],
    starting: ['starting', 'ready', 'stopping'],
    ready: ['ready', 'draining', 'stopping'],
    draining: ['draining', 'stopping'],
    stopping: [...rest, 'stopping', 'queued', 'backoff', 'parked', 'auth-required', 'failed'],
    backoff: [...rest, 'backoff', 'queued'],
    parked: [...rest, 'parked', 'queued'],
    'auth-required': [...rest, 'auth-required', 'queued'],
    failed: [...rest, 'failed', 'queued'],
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
    fc.property(fc.integer({ min: 1, max: 10 }), fc.array(fc.boolean()), (maxAttempts, readiness) => {
      const shell = new Shell({ ...rules, maxAttempts }).do(wanted);
      for (let round = 0; shell.state.phase !== 'parked' && round < 50; round += 1) {
        shell.do(slot);
        if (readiness[round]) shell.do(ready); // being ready for a moment does not clear the history
        shell.do(lost, gone);
        if (shell.state.phase === 'backoff') shell.do(delayOver);
      }
      expect(shell.state).toMatchObject({ phase: 'parked', failures: maxAttempts + 1, cause: 'exit' });
      expect(shell.starts).toHaveLength(maxAttempts + 1);
    }),
  );
});

test('a parked server is woken by a call only after a while, by a person at once, and by itself in the end', () => {
  const parked = parkedShell();
  expect(parked.state).toMatchObject({ phase: 'parked', delayMs: 300_000, wakesOnDemand: false });
  const before = parked.state;
  expect(parked.do(wanted).state).toBe(before);
  expect(parked.do(told({ type: 'retry-allowed' }), wanted).state).toMatchObject({ phase: 'queued', failures: 4 });
  expect(parked.do(slot, lost, gone).state).toMatchObject({ phase: 'parked', failures: 5 });
  expect(parkedShell().do(start).state).toMatchObject({ phase: 'queued', failures: 0, after: 'failure' });
  expect(parkedShell().do(delayOver, slot, lost, gone).state).toMatchObject({ phase: 'parked', failures: 5 });
});

test('a stable period gives a server its restarts back', () => {
  const fall = [lost, gone, delayOver, slot, ready] as const;
  const shell = new Shell().do(...running, ...fall, ...fall);
  expect(shell.state).toMatchObject({ phase: 'ready', failures: 2 });
  expect(shell.do(told({ type: 'settled' })).state).toMatchObject({ phase: 'ready', failures: 0 });
});

test('a shorter period in good health halves the failures that count', () => {
  const fall = [lost, gone, delayOver, slot, ready] as const;
  const shell = new Shell().do(...running, ...fall, ...fall, ...fall);
  const steady = told({ type: 'steady' });
  expect(shell.state).toMatchObject({ phase: 'ready', failures: 3 });
  expect(shell.do(steady).state).toMatchObject({ phase: 'ready', failures: 1 });
  expect(shell.do(...fall, steady).state).toMatchObject({ phase: 'ready', failures: 1 });
  expect(shell.do(steady).state).toMatchObject({ phase: 'ready', failures: 0 });
  const unchanged = shell.state;
  expect(shell.do(steady).state).toBe(unchanged);
});

test('a failure that cannot pass, and one that must not be retried, waits for a person', () => {
  const permanent = told({ type: 'lost', loss: { kind: 'permanent', cause: 'no such command' } });
  expect(new Shell().do(start, slot, permanent, gone).state).toMatchObject({ phase: 'failed', failures: 1 });
  const shell = new Shell({ ...rules, onFailure: false }).do(...running, lost, gone);
  expect(shell.state).toMatchObject({ phase: 'failed', cause: 'exit' });
  expect(shell.do(wanted, told({ type: 'retry-allowed' }), wanted, delayOver).state.phase).toBe('failed');
});

test('a system without room for another process is no fault of the server', () => {
  const exhausted = told({ type: 'lost', loss: { kind: 'exhausted', cause: 'EMFILE', delayMs: 700 } });
  const shell = new Shell({ ...rules, onFailure: false });
  for (let round = 0; round < 20; round += 1) shell.do(start, slot, exhausted, gone);
  expect(shell.state).toMatchObject({ phase: 'backoff', failures: 0, delayMs: 700, cause: 'EMFILE' });
  expect(shell.do(delayOver, slot).state.phase).toBe('starting');
});

test('failures right after a sleep of the machine do not count', () => {
  const broken = told({ type: 'lost', loss: { kind: 'transient', cause: 'exit', isInSleepGrace: true } });
  const shell = new Shell();
  for (let round = 0; round < 20; round += 1) shell.do(start, slot, ready, broken, gone);
  expect(shell.state).toMatchObject({ phase: 'backoff', failures: 0, delayMs: 100 });
});

test('a required sign-in is no failure, and is retried less and less often', () => {
  const refused = told({ type: 'lost', loss: { kind: 'auth-required', cause: '401' } });
  const shell = new Shell().do(start, slot, refused, gone);
  expect(shell.state).toMatchObject({ phase: 'auth-required', failures: 0, delayMs: 1_000, wakesOnDemand: false });
  expect(shell.do(wanted).state.phase).toBe('auth-required');
  expect(shell.do(delayOver, slot, refused, gone).state).toMatchObject({ delayMs: 2_000, failures: 0 });
  expect(shell.do(told({ type: 'retry-allowed' }), wanted).state.phase).toBe('queued');
  expect(shell.do(slot, refused, gone, start, slot, ready).state).toMatchObject({
    phase: 'ready',
    signInRetries: 0,
  });
});

test('a clean exit leaves the server idle without a failure, and a call wakes it', () => {
  const shell = new Shell().do(wanted, slot, ready, left(false), gone);
  expect(shell.state).toMatchObject({ phase: 'idle', failures: 0 });
  expect(shell.do(wanted).state).toMatchObject({ phase: 'queued', generation: 2, after: 'rest' });
});

test('the second clean exit in a row right after a start counts as a failure', () => {
  const shell = new Shell().do(...running, left(true), gone);
  expect(shell.state).toMatchObject({ phase: 'idle', failures: 0 });
  expect(shell.do(wanted, slot, ready, left(true), gone).state).toMatchObject({ phase: 'backoff', failures: 1 });
  const rested = new Shell().do(...running, left(true), gone, wanted, slot, ready, left(false), gone);
  expect(rested.do(wanted, slot, ready, left(true), gone).state).toMatchObject({ phase: 'idle', failures: 0 });
});

test('an eager server comes back after a clean exit, but not without end', () => {
  const shell = new Shell({ ...rules, eager: true }).do(...running, left(false), gone);
  expect(shell.state).toMatchObject({ phase: 'queued', failures: 0, after: 'rest' });
  for (let round = 0; round < 20; round += 1) {
    shell.do(slot, ready, left(true), gone);
    if (shell.state.phase === 'backoff') shell.do(delayOver);
  }
  expect(shell.state).toMatchObject({ phase: 'parked', failures: rules.maxAttempts + 1 });
});

test('a call that comes while a clean exit is being tidied up waits for the next generation', () => {
  const shell = new Shell().do(wanted, slot, ready, left(false), wanted);
  expect(shell.live).toEqual(new Set([1]));
  expect(shell.do(gone, slot).state).toMatchObject({ phase: 'starting', generation: 2 });
});

test('a call does not hurry a back-off', () => {
  const shell = new Shell().do(start, slot, lost, gone);
  const waiting = shell.state;
  expect(waiting).toMatchObject({ phase: 'backoff', delayMs: 100, cause: 'exit' });
  expect(shell.do(wanted).state).toBe(waiting);
});

test('a server that is stopped while it works finishes its calls first', () => {
  const shell = new Shell().do(...running, stop(10_000));
  expect(shell.state).toMatchObject({ phase: 'draining', drainMs: 10_000, next: { phase: 'idle' } });
  expect(shell.do(told({ type: 'drained' })).state).toMatchObject({ phase: 'stopping', next: { phase: 'idle' } });
});

test('a call that comes while a server finishes its calls waits for the next generation', () => {
  const shell = new Shell().do(...running, stop(10_000), wanted);
  expect(shell.state).toMatchObject({ phase: 'draining', generation: 1, next: { phase: 'queued', generation: 2 } });
  expect(shell.do(told({ type: 'drained' }), gone, slot).state).toMatchObject({ phase: 'starting', generation: 2 });
});

test('a server that dies while it finishes its calls goes where it was to go, without a failure', () => {
  const shell = new Shell().do(...running, stop(10_000), lost, gone);
  expect(shell.state).toMatchObject({ phase: 'idle', failures: 0 });
});

test('a second stop without a drain period does not wait for the calls', () => {
  const shell = new Shell().do(...running, stop(10_000));
  const { state } = shell;
  expect(shell.do(stop(10_000)).state).toBe(state);
  expect(shell.do(stop(0)).state.phase).toBe('stopping');
});

test('only a server that is ready is stopped for being unused', () => {
  const unused = told({ type: 'unused' });
  expect(new Shell().do(...running, unused, gone).state).toMatchObject({ phase: 'idle', failures: 0 });
  expect(new Shell().do(start, slot, unused).state.phase).toBe('starting');
});

test('another launch replaces a running server, and starts no idle one', () => {
  expect(new Shell().do(...running, relaunch(10_000)).state).toMatchObject({
    phase: 'draining',
    next: { phase: 'queued' },
  });
  expect(new Shell().do(start, slot, lost, gone, relaunch()).state).toMatchObject({ phase: 'queued', failures: 0 });
  expect(parkedShell().do(relaunch()).state).toMatchObject({ phase: 'idle', failures: 0 });
  expect(new Shell().do(...running, stop(10_000), relaunch(10_000)).state).toMatchObject({ next: { phase: 'idle' } });
  expect(new Shell().do(relaunch()).state.phase).toBe('idle');
});

test('a disabled server stops, and is idle when enabled again', () => {
  const shell = new Shell().do(...running, disable, gone);
  expect(shell.do(start, wanted).state.phase).toBe('disabled');
  expect(shell.do(asCommand({ type: 'enable' })).state.phase).toBe('idle');
});

test('stopping a server that fell keeps its failure in the count', () => {
  expect(new Shell().do(start, slot, lost, stop(), gone).state).toMatchObject({ phase: 'idle', failures: 1 });
});

test('a start that waits for its turn can be called off', () => {
  const shell = new Shell().do(start, stop(), slot);
  expect(shell.state).toMatchObject({ phase: 'idle' });
  expect(shell.starts).toEqual([]);
});

test('misses count in a row, and the last one that is allowed ends the process', () => {
  const miss = told({ type: 'health', isAlive: false, cause: 'silent' });
  const alive = told({ type: 'health', isAlive: true });
  expect(new Shell().do(...running, miss, miss, alive, miss, miss).state).toMatchObject({ misses: 2 });
  expect(aimOf(new Shell().do(...running, miss, miss, miss).state)).toMatchObject({
    phase: 'backoff',
    failures: 1,
    cause: 'silent',
  });
});

test('a process that outlives SIGKILL keeps a second one from starting by itself', () => {
  const stuck: Move = { type: 'gone', isStuck: true };
  const shell = new Shell().do(...running, restart(), stuck);
  expect(shell.state).toMatchObject({ phase: 'failed', generation: 1, cause: 'stuck' });
  expect(new Shell().do(start, slot, closing, stuck).state.phase).toBe('closed');
});
