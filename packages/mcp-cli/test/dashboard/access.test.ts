import { expect, test } from 'vitest';
import { Access, confirmationLifetimeMs, linkLifetimeMs, pageKeys } from '../../src/dashboard/access.js';

function access() {
  let now = 0;
  return {
    access: new Access(() => now),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const restart = { action: 'restart', server: 'echo' } as const;

test('an expired link opens nothing', () => {
  const { access: kept, pass } = access();
  const token = kept.newLink('call', () => undefined);
  pass(linkLifetimeMs + 1);
  expect(kept.open(token)).toBeUndefined();
});

test('a link opens once, and its creator is notified', () => {
  let opened = 0;
  const { access: kept } = access();
  const token = kept.newLink('look', () => {
    opened += 1;
  });
  expect(kept.open('another')).toBeUndefined();
  expect(opened).toBe(0);
  expect(kept.open(token)).toMatchObject({ adminKey: undefined });
  expect(kept.open(token)).toBeUndefined();
  expect(opened).toBe(1);
});

test('both keys must belong to one session', () => {
  const { access: kept } = access();
  const open = (may: 'look' | 'call') => kept.open(kept.newLink(may, () => undefined));
  const [one, other, reader] = [open('call'), open('call'), open('look')];
  expect(kept.may('operate', { readKey: one?.readKey, adminKey: one?.adminKey })).toBe(true);
  expect(kept.may('operate', { readKey: one?.readKey, adminKey: other?.adminKey })).toBe(false);
  expect(kept.may('operate', { readKey: reader?.readKey, adminKey: one?.adminKey })).toBe(false);
  expect(kept.may('operate', { readKey: one?.readKey, adminKey: undefined })).toBe(false);
  expect(kept.may('operate', { readKey: undefined, adminKey: one?.adminKey })).toBe(false);
  expect(kept.may('look', { readKey: reader?.readKey })).toBe(true);
  expect(kept.may('look', { readKey: one?.adminKey })).toBe(false);
});

test.each([
  { granted: 'look', permitted: ['look'] },
  { granted: 'operate', permitted: ['look', 'operate'] },
  { granted: 'call', permitted: ['look', 'operate', 'call'] },
] as const)('a link that may $granted permits $permitted', ({ granted, permitted }) => {
  const { access: kept } = access();
  const session = kept.open(kept.newLink(granted, () => undefined));
  expect(session?.may).toBe(granted);
  const keys = { readKey: session?.readKey, adminKey: session?.adminKey };
  expect(pageKeys.filter((wanted) => kept.may(wanted, keys))).toEqual(permitted);
});

test('a browser that opens a second link keeps its cookie and the rights of its first page', () => {
  const { access: kept } = access();
  const link = (may: 'look' | 'call') => kept.newLink(may, () => undefined);
  const first = kept.open(link('call'));
  const second = kept.open(link('call'), first?.readKey);
  const looking = kept.open(link('look'), first?.readKey);
  expect(second?.readKey).toBe(first?.readKey);
  expect(looking).toEqual({ readKey: first?.readKey, adminKey: undefined, may: 'look' });
  expect(kept.may('operate', { readKey: first?.readKey, adminKey: first?.adminKey })).toBe(true);
  expect(kept.may('operate', { readKey: first?.readKey, adminKey: second?.adminKey })).toBe(true);
});

test('an unknown cookie is replaced', () => {
  const { access: kept } = access();
  const session = kept.open(
    kept.newLink('call', () => undefined),
    'chosen',
  );
  expect(session?.readKey).not.toBe('chosen');
  expect(kept.may('look', { readKey: 'chosen' })).toBe(false);
});

test('an expired confirmation is refused', () => {
  const { access: kept, pass } = access();
  const id = kept.newConfirmation('key', restart);
  pass(confirmationLifetimeMs + 1);
  expect(kept.confirmed('key', id)).toBeUndefined();
});

test('a confirmation stays valid for its owner after another page tried it', () => {
  const { access: kept } = access();
  const id = kept.newConfirmation('key', restart);
  expect(kept.confirmed('other', id)).toBeUndefined();
  expect(kept.confirmed('key', id)).toEqual(restart);
  expect(kept.confirmed('key', id)).toBeUndefined();
});

test('only the latest links and sessions are valid', () => {
  const { access: kept } = access();
  const tokens = Array.from({ length: 100 }, () => kept.newLink('look', () => undefined));
  expect(tokens.filter((token) => kept.open(token))).toHaveLength(16);
  const sessions = Array.from({ length: 100 }, () => kept.open(kept.newLink('look', () => undefined)));
  expect(sessions.filter((session) => kept.may('look', { readKey: session?.readKey }))).toHaveLength(32);
  expect(kept.may('look', { readKey: sessions.at(-1)?.readKey })).toBe(true);
});
