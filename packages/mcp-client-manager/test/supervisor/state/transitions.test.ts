import { describe, expect, test } from 'vitest';
import type { RestartRules } from '../../../src/supervisor/state/after-loss.js';
import { nextState } from '../../../src/supervisor/state/next-state.js';
import type { Command, NextState, Report, ServerState } from '../../../src/supervisor/state/server-state.js';

const rules: RestartRules = {
  onFailure: true,
  eager: false,
  maxAttempts: 3,
  maxHealthMisses: 3,
  delayMs: (failures) => failures * 100,
  parkedDelayMs: () => 300_000,
  signInDelayMs: (retries) => retries * 1_000,
};
const numbers = { generation: 4, failures: 2, quickExits: 0, signInRetries: 1 };
const clean = { ...numbers, failures: 0, signInRetries: 0 };
const waits = { ...numbers, delayMs: 7, cause: 'x' };
const idle: NextState = { phase: 'idle', ...numbers };
const disabled: NextState = { phase: 'disabled', ...numbers };
const closed: NextState = { phase: 'closed', ...numbers, reason: 'removed' };
const next: NextState = { phase: 'queued', ...numbers, generation: 5, after: 'fall' };
const failed: NextState = { phase: 'failed', ...numbers, cause: 'x' };

const states: Readonly<Record<string, ServerState>> = {
  disabled,
  idle,
  backoff: { phase: 'backoff', ...waits },
  parked: { phase: 'parked', ...waits, wakesOnDemand: false },
  'parked, wakes': { phase: 'parked', ...waits, wakesOnDemand: true },
  'auth-required': { phase: 'auth-required', ...waits, wakesOnDemand: false },
  'auth-required, wakes': { phase: 'auth-required', ...waits, wakesOnDemand: true },
  failed,
  closed,
  queued: { phase: 'queued', ...numbers, after: 'failure' },
  starting: { phase: 'starting', ...numbers, step: 'handshake', after: 'fall' },
  ready: { phase: 'ready', ...numbers, misses: 0, catalog: 'partial' },
  'ready, missed 2': { phase: 'ready', ...numbers, misses: 2, catalog: 'complete' },
  'ready, quick': { phase: 'ready', ...clean, quickExits: 1, misses: 0, catalog: 'complete' },
  'ready, clean': { phase: 'ready', ...clean, misses: 0, catalog: 'complete' },
  'draining to idle': { phase: 'draining', ...numbers, drainMs: 9, next: idle },
  'draining to queued': { phase: 'draining', ...numbers, drainMs: 9, next },
  'stopping to idle': { phase: 'stopping', ...numbers, next: idle },
  'stopping to disabled': { phase: 'stopping', ...numbers, next: disabled },
  'stopping to closed': { phase: 'stopping', ...numbers, next: closed },
  'stopping to failed': { phase: 'stopping', ...numbers, next: failed },
  'stopping to queued': { phase: 'stopping', ...numbers, next },
};

const commands: Readonly<Record<string, Command>> = {
  start: { type: 'start' },
  enable: { type: 'enable' },
  wanted: { type: 'demand' },
  'wanted, repaired': { type: 'demand', isRepaired: true },
  'restart in 5': { type: 'restart', drainMs: 5 },
  'restart now': { type: 'restart', drainMs: 0 },
  'relaunch in 5': { type: 'relaunch', drainMs: 5 },
  'stop in 5': { type: 'stop', drainMs: 5 },
  'stop now': { type: 'stop', drainMs: 0 },
  'disable in 5': { type: 'disable', drainMs: 5 },
  'close now': { type: 'close', drainMs: 0, reason: 'manager-closed' },
};

const reports: Readonly<Record<string, Report>> = {
  slot: { type: 'slot' },
  'step tools': { type: 'step', step: 'tools' },
  'ready partial': { type: 'ready', catalog: 'partial' },
  'relisted partial': { type: 'relisted', catalog: 'partial' },
  steady: { type: 'steady' },
  settled: { type: 'settled' },
  unused: { type: 'unused' },
  alive: { type: 'health', isAlive: true },
  'not alive': { type: 'health', isAlive: false, cause: 'y' },
  frozen: { type: 'frozen', cause: 'y' },
  'over-memory in 5': { type: 'over-memory', cause: 'y', drainMs: 5 },
  'lost: session over': { type: 'lost', loss: { kind: 'session-over', cause: 'y' } },
  'lost: quick exit': { type: 'lost', loss: { kind: 'clean', isQuick: true, cause: 'y' } },
  drained: { type: 'drained' },
  stopped: { type: 'stopped' },
  stuck: { type: 'stuck', cause: 'y' },
  'delay over': { type: 'delay-over' },
  retryAllowed: { type: 'retry-allowed' },
};

/** The state as one line: phase, generation, what is counted, and what only this phase has. */
function shown(state: ServerState): string {
  const { phase, generation, failures, quickExits, signInRetries, ...own } = state;
  const counts = [failures, quickExits, signInRetries].join('/');
  const details = Object.entries(own).map(([name, value]) =>
    name === 'next' ? `then ${shown(value as NextState)}` : `${name} ${value}`,
  );
  return [`${phase} ${generation} ${counts}`, ...details].join(', ');
}

/** What each state becomes. A state that stays as it is has no line. */
function changesBy(input: Command | Report, isReport: boolean): readonly string[] {
  return Object.entries(states).flatMap(([name, state]) => {
    const after = nextState(state, isReport ? { ...(input as Report), generation: 4 } : (input as Command), rules);
    return after === state ? [] : [`${name} => ${shown(after)}`];
  });
}

/** Every transition there is, so that one that changes shows here. */
const expected: Readonly<Record<string, readonly string[]>> = {
  start: [
    'idle => queued 5 0/0/0, after rest',
    'backoff => queued 5 0/0/0, after fall',
    'parked => queued 5 0/0/0, after failure',
    'parked, wakes => queued 5 0/0/0, after failure',
    'auth-required => queued 5 0/0/0, after failure',
    'auth-required, wakes => queued 5 0/0/0, after failure',
    'failed => queued 5 0/0/0, after failure',
    'queued => queued 4 0/0/0, after failure',
    'draining to idle => draining 4 2/0/1, drainMs 9, then queued 5 0/0/0, after rest',
    'stopping to idle => stopping 4 2/0/1, then queued 5 0/0/0, after rest',
    'stopping to failed => stopping 4 2/0/1, then queued 5 0/0/0, after failure',
  ],
  enable: ['disabled => idle 4 2/0/1', 'stopping to disabled => stopping 4 2/0/1, then idle 4 2/0/1'],
  wanted: [
    'idle => queued 5 2/0/1, after rest',
    'parked, wakes => queued 5 2/0/1, after failure',
    'auth-required, wakes => queued 5 2/0/1, after failure',
    'draining to idle => draining 4 2/0/1, drainMs 9, then queued 5 2/0/1, after rest',
    'stopping to idle => stopping 4 2/0/1, then queued 5 2/0/1, after rest',
  ],
  'wanted, repaired': [
    'idle => queued 5 2/0/1, after rest',
    'parked, wakes => queued 5 2/0/1, after failure',
    'auth-required, wakes => queued 5 2/0/1, after failure',
    'failed => queued 5 2/0/1, after failure',
    'draining to idle => draining 4 2/0/1, drainMs 9, then queued 5 2/0/1, after rest',
    'stopping to idle => stopping 4 2/0/1, then queued 5 2/0/1, after rest',
    'stopping to failed => stopping 4 2/0/1, then queued 5 2/0/1, after failure',
  ],
  'restart in 5': [
    'idle => queued 5 0/0/0, after rest',
    'backoff => queued 5 0/0/0, after fall',
    'parked => queued 5 0/0/0, after failure',
    'parked, wakes => queued 5 0/0/0, after failure',
    'auth-required => queued 5 0/0/0, after failure',
    'auth-required, wakes => queued 5 0/0/0, after failure',
    'failed => queued 5 0/0/0, after failure',
    'queued => queued 4 0/0/0, after failure',
    'starting => stopping 4 2/0/1, then queued 5 0/0/0, after fall',
    'ready => draining 4 2/0/1, drainMs 5, then queued 5 0/0/0, after rest',
    'ready, missed 2 => draining 4 2/0/1, drainMs 5, then queued 5 0/0/0, after rest',
    'ready, quick => draining 4 0/1/0, drainMs 5, then queued 5 0/0/0, after rest',
    'ready, clean => draining 4 0/0/0, drainMs 5, then queued 5 0/0/0, after rest',
    'draining to idle => draining 4 2/0/1, drainMs 9, then queued 5 0/0/0, after rest',
    'draining to queued => draining 4 2/0/1, drainMs 9, then queued 5 0/0/0, after fall',
    'stopping to idle => stopping 4 2/0/1, then queued 5 0/0/0, after rest',
    'stopping to failed => stopping 4 2/0/1, then queued 5 0/0/0, after failure',
    'stopping to queued => stopping 4 2/0/1, then queued 5 0/0/0, after fall',
  ],
  'restart now': [
    'idle => queued 5 0/0/0, after rest',
    'backoff => queued 5 0/0/0, after fall',
    'parked => queued 5 0/0/0, after failure',
    'parked, wakes => queued 5 0/0/0, after failure',
    'auth-required => queued 5 0/0/0, after failure',
    'auth-required, wakes => queued 5 0/0/0, after failure',
    'failed => queued 5 0/0/0, after failure',
    'queued => queued 4 0/0/0, after failure',
    'starting => stopping 4 2/0/1, then queued 5 0/0/0, after fall',
    'ready => stopping 4 2/0/1, then queued 5 0/0/0, after rest',
    'ready, missed 2 => stopping 4 2/0/1, then queued 5 0/0/0, after rest',
    'ready, quick => stopping 4 0/1/0, then queued 5 0/0/0, after rest',
    'ready, clean => stopping 4 0/0/0, then queued 5 0/0/0, after rest',
    'draining to idle => stopping 4 2/0/1, then queued 5 0/0/0, after rest',
    'draining to queued => stopping 4 2/0/1, then queued 5 0/0/0, after fall',
    'stopping to idle => stopping 4 2/0/1, then queued 5 0/0/0, after rest',
    'stopping to failed => stopping 4 2/0/1, then queued 5 0/0/0, after failure',
    'stopping to queued => stopping 4 2/0/1, then queued 5 0/0/0, after fall',
  ],
  'relaunch in 5': [
    'idle => idle 4 0/0/0',
    'backoff => queued 5 0/0/0, after fall',
    'parked => idle 4 0/0/0',
    'parked, wakes => idle 4 0/0/0',
    'auth-required => idle 4 0/0/0',
    'auth-required, wakes => idle 4 0/0/0',
    'failed => idle 4 0/0/0',
    'queued => queued 4 0/0/0, after failure',
    'starting => stopping 4 2/0/1, then queued 5 0/0/0, after fall',
    'ready => draining 4 2/0/1, drainMs 5, then queued 5 0/0/0, after rest',
    'ready, missed 2 => draining 4 2/0/1, drainMs 5, then queued 5 0/0/0, after rest',
    'ready, quick => draining 4 0/1/0, drainMs 5, then queued 5 0/0/0, after rest',
    'ready, clean => draining 4 0/0/0, drainMs 5, then queued 5 0/0/0, after rest',
    'draining to idle => draining 4 2/0/1, drainMs 9, then idle 4 0/0/0',
    'draining to queued => draining 4 2/0/1, drainMs 9, then queued 5 0/0/0, after fall',
    'stopping to idle => stopping 4 2/0/1, then idle 4 0/0/0',
    'stopping to failed => stopping 4 2/0/1, then idle 4 0/0/0',
    'stopping to queued => stopping 4 2/0/1, then queued 5 0/0/0, after fall',
  ],
  'stop in 5': [
    'backoff => idle 4 2/0/1',
    'parked => idle 4 2/0/1',
    'parked, wakes => idle 4 2/0/1',
    'auth-required => idle 4 2/0/1',
    'auth-required, wakes => idle 4 2/0/1',
    'failed => idle 4 2/0/1',
    'queued => idle 4 2/0/1',
    'starting => stopping 4 2/0/1, then idle 4 2/0/1',
    'ready => draining 4 2/0/1, drainMs 5, then idle 4 2/0/1',
    'ready, missed 2 => draining 4 2/0/1, drainMs 5, then idle 4 2/0/1',
    'ready, quick => draining 4 0/1/0, drainMs 5, then idle 4 0/1/0',
    'ready, clean => draining 4 0/0/0, drainMs 5, then idle 4 0/0/0',
    'draining to queued => draining 4 2/0/1, drainMs 9, then idle 4 2/0/1',
    'stopping to failed => stopping 4 2/0/1, then idle 4 2/0/1',
    'stopping to queued => stopping 4 2/0/1, then idle 4 2/0/1',
  ],
  'stop now': [
    'backoff => idle 4 2/0/1',
    'parked => idle 4 2/0/1',
    'parked, wakes => idle 4 2/0/1',
    'auth-required => idle 4 2/0/1',
    'auth-required, wakes => idle 4 2/0/1',
    'failed => idle 4 2/0/1',
    'queued => idle 4 2/0/1',
    'starting => stopping 4 2/0/1, then idle 4 2/0/1',
    'ready => stopping 4 2/0/1, then idle 4 2/0/1',
    'ready, missed 2 => stopping 4 2/0/1, then idle 4 2/0/1',
    'ready, quick => stopping 4 0/1/0, then idle 4 0/1/0',
    'ready, clean => stopping 4 0/0/0, then idle 4 0/0/0',
    'draining to idle => stopping 4 2/0/1, then idle 4 2/0/1',
    'draining to queued => stopping 4 2/0/1, then idle 4 2/0/1',
    'stopping to failed => stopping 4 2/0/1, then idle 4 2/0/1',
    'stopping to queued => stopping 4 2/0/1, then idle 4 2/0/1',
  ],
  'disable in 5': [
    'idle => disabled 4 2/0/1',
    'backoff => disabled 4 2/0/1',
    'parked => disabled 4 2/0/1',
    'parked, wakes => disabled 4 2/0/1',
    'auth-required => disabled 4 2/0/1',
    'auth-required, wakes => disabled 4 2/0/1',
    'failed => disabled 4 2/0/1',
    'queued => disabled 4 2/0/1',
    'starting => stopping 4 2/0/1, then disabled 4 2/0/1',
    'ready => draining 4 2/0/1, drainMs 5, then disabled 4 2/0/1',
    'ready, missed 2 => draining 4 2/0/1, drainMs 5, then disabled 4 2/0/1',
    'ready, quick => draining 4 0/1/0, drainMs 5, then disabled 4 0/1/0',
    'ready, clean => draining 4 0/0/0, drainMs 5, then disabled 4 0/0/0',
    'draining to idle => draining 4 2/0/1, drainMs 9, then disabled 4 2/0/1',
    'draining to queued => draining 4 2/0/1, drainMs 9, then disabled 4 2/0/1',
    'stopping to idle => stopping 4 2/0/1, then disabled 4 2/0/1',
    'stopping to failed => stopping 4 2/0/1, then disabled 4 2/0/1',
    'stopping to queued => stopping 4 2/0/1, then disabled 4 2/0/1',
  ],
  'close now': [
    'disabled => closed 4 2/0/1, reason manager-closed',
    'idle => closed 4 2/0/1, reason manager-closed',
    'backoff => closed 4 2/0/1, reason manager-closed',
    'parked => closed 4 2/0/1, reason manager-closed',
    'parked, wakes => closed 4 2/0/1, reason manager-closed',
    'auth-required => closed 4 2/0/1, reason manager-closed',
    'auth-required, wakes => closed 4 2/0/1, reason manager-closed',
    'failed => closed 4 2/0/1, reason manager-closed',
    'queued => closed 4 2/0/1, reason manager-closed',
    'starting => stopping 4 2/0/1, then closed 4 2/0/1, reason manager-closed',
    'ready => stopping 4 2/0/1, then closed 4 2/0/1, reason manager-closed',
    'ready, missed 2 => stopping 4 2/0/1, then closed 4 2/0/1, reason manager-closed',
    'ready, quick => stopping 4 0/1/0, then closed 4 0/1/0, reason manager-closed',
    'ready, clean => stopping 4 0/0/0, then closed 4 0/0/0, reason manager-closed',
    'draining to idle => stopping 4 2/0/1, then closed 4 2/0/1, reason manager-closed',
    'draining to queued => stopping 4 2/0/1, then closed 4 2/0/1, reason manager-closed',
    'stopping to idle => stopping 4 2/0/1, then closed 4 2/0/1, reason manager-closed',
    'stopping to disabled => stopping 4 2/0/1, then closed 4 2/0/1, reason manager-closed',
    'stopping to failed => stopping 4 2/0/1, then closed 4 2/0/1, reason manager-closed',
    'stopping to queued => stopping 4 2/0/1, then closed 4 2/0/1, reason manager-closed',
  ],
  slot: ['queued => starting 4 2/0/1, step spawn, after failure'],
  'step tools': ['starting => starting 4 2/0/1, step tools, after fall'],
  'ready partial': ['starting => ready 4 2/0/0, misses 0, catalog partial'],
  'relisted partial': [
    'ready, missed 2 => ready 4 2/0/1, misses 2, catalog partial',
    'ready, quick => ready 4 0/1/0, misses 0, catalog partial',
    'ready, clean => ready 4 0/0/0, misses 0, catalog partial',
  ],
  steady: [
    'ready => ready 4 1/0/1, misses 0, catalog partial',
    'ready, missed 2 => ready 4 1/0/1, misses 2, catalog complete',
  ],
  settled: [
    'ready => ready 4 0/0/0, misses 0, catalog partial',
    'ready, missed 2 => ready 4 0/0/0, misses 2, catalog complete',
    'ready, quick => ready 4 0/0/0, misses 0, catalog complete',
  ],
  unused: [
    'ready => stopping 4 2/0/1, then idle 4 2/0/1',
    'ready, missed 2 => stopping 4 2/0/1, then idle 4 2/0/1',
    'ready, quick => stopping 4 0/1/0, then idle 4 0/1/0',
    'ready, clean => stopping 4 0/0/0, then idle 4 0/0/0',
  ],
  alive: ['ready, missed 2 => ready 4 2/0/1, misses 0, catalog complete'],
  'not alive': [
    'ready => ready 4 2/0/1, misses 1, catalog partial',
    'ready, missed 2 => stopping 4 2/0/1, then backoff 4 3/0/1, delayMs 300, cause y',
    'ready, quick => ready 4 0/1/0, misses 1, catalog complete',
    'ready, clean => ready 4 0/0/0, misses 1, catalog complete',
  ],
  frozen: [
    'ready => stopping 4 2/0/1, then backoff 4 3/0/1, delayMs 300, cause y',
    'ready, missed 2 => stopping 4 2/0/1, then backoff 4 3/0/1, delayMs 300, cause y',
    'ready, quick => stopping 4 0/1/0, then backoff 4 1/1/0, delayMs 100, cause y',
    'ready, clean => stopping 4 0/0/0, then backoff 4 1/0/0, delayMs 100, cause y',
  ],
  'over-memory in 5': [
    'ready => draining 4 2/0/1, drainMs 5, then backoff 4 3/0/1, delayMs 300, cause y',
    'ready, missed 2 => draining 4 2/0/1, drainMs 5, then backoff 4 3/0/1, delayMs 300, cause y',
    'ready, quick => draining 4 0/1/0, drainMs 5, then backoff 4 1/1/0, delayMs 100, cause y',
    'ready, clean => draining 4 0/0/0, drainMs 5, then backoff 4 1/0/0, delayMs 100, cause y',
  ],
  'lost: session over': [
    'starting => stopping 4 2/0/1, then queued 5 2/0/1, after rest',
    'ready => stopping 4 2/0/1, then queued 5 2/0/1, after rest',
    'ready, missed 2 => stopping 4 2/0/1, then queued 5 2/0/1, after rest',
    'ready, quick => stopping 4 0/1/0, then queued 5 0/1/0, after rest',
    'ready, clean => stopping 4 0/0/0, then queued 5 0/0/0, after rest',
    'draining to idle => stopping 4 2/0/1, then idle 4 2/0/1',
    'draining to queued => stopping 4 2/0/1, then queued 5 2/0/1, after fall',
  ],
  'lost: quick exit': [
    'starting => stopping 4 2/0/1, then idle 4 2/1/1',
    'ready => stopping 4 2/0/1, then idle 4 2/1/1',
    'ready, missed 2 => stopping 4 2/0/1, then idle 4 2/1/1',
    'ready, quick => stopping 4 0/1/0, then backoff 4 1/2/0, delayMs 100, cause y',
    'ready, clean => stopping 4 0/0/0, then idle 4 0/1/0',
    'draining to idle => stopping 4 2/0/1, then idle 4 2/0/1',
    'draining to queued => stopping 4 2/0/1, then queued 5 2/0/1, after fall',
  ],
  drained: [
    'draining to idle => stopping 4 2/0/1, then idle 4 2/0/1',
    'draining to queued => stopping 4 2/0/1, then queued 5 2/0/1, after fall',
  ],
  stopped: [
    'stopping to idle => idle 4 2/0/1',
    'stopping to disabled => disabled 4 2/0/1',
    'stopping to closed => closed 4 2/0/1, reason removed',
    'stopping to failed => failed 4 2/0/1, cause x',
    'stopping to queued => queued 5 2/0/1, after fall',
  ],
  stuck: [
    'stopping to idle => failed 4 2/0/1, cause y',
    'stopping to disabled => disabled 4 2/0/1',
    'stopping to closed => closed 4 2/0/1, reason removed',
    'stopping to failed => failed 4 2/0/1, cause y',
    'stopping to queued => failed 4 2/0/1, cause y',
  ],
  'delay over': [
    'backoff => queued 5 2/0/1, after fall',
    'parked => queued 5 2/0/1, after failure',
    'parked, wakes => queued 5 2/0/1, after failure',
    'auth-required => queued 5 2/0/1, after failure',
    'auth-required, wakes => queued 5 2/0/1, after failure',
  ],
  retryAllowed: [
    'parked => parked 4 2/0/1, delayMs 7, cause x, wakesOnDemand true',
    'parked, wakes => parked 4 2/0/1, delayMs 7, cause x, wakesOnDemand true',
    'auth-required => auth-required 4 2/0/1, delayMs 7, cause x, wakesOnDemand true',
    'auth-required, wakes => auth-required 4 2/0/1, delayMs 7, cause x, wakesOnDemand true',
  ],
};

describe('a command', () => {
  test.each(Object.entries(commands))('%s changes these states, and no others', (name, command) => {
    expect(changesBy(command, false)).toEqual(expected[name]);
  });
});

describe('a report of the generation that is there', () => {
  test.each(Object.entries(reports))('%s changes these states, and no others', (name, report) => {
    expect(changesBy(report, true)).toEqual(expected[name]);
  });
});

test.each(Object.entries(reports))('%s of an earlier generation changes nothing', (_name, report) => {
  for (const state of Object.values(states)) expect(nextState(state, { ...report, generation: 3 }, rules)).toBe(state);
});
