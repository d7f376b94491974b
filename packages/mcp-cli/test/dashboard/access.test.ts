import { expect, test } from 'vitest';
import { Access, confirmationLifetimeMs, linkLifetimeMs } from '../../src/dashboard/access.js';

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
  const token = kept.newLink('admin', () => undefined);
  pass(linkLifetimeMs + 1);
  expect(kept.open(token)).toBeUndefined();
});

test('a link opens once, and its creator is notified', () => {
  let opened = 0;
  const { access: kept } = access();
  const token = kept.newLink('read', () => {
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
  const open = (scope: 'read' | 'admin') => kept.open(kept.newLink(scope, () => undefined));
  const [one, other, reader] = [open('admin'), open('admin'), open('read')];
  expect(kept.mayAct(one?.readKey, one?.adminKey)).toBe(true);
  expect(kept.mayAct(one?.readKey, other?.adminKey)).toBe(false);
  expect(kept.mayAct(reader?.readKey, one?.adminKey)).toBe(false);
  expect(kept.mayAct(one?.readKey, undefined)).toBe(false);
  expect(kept.mayAct(undefined, one?.adminKey)).toBe(false);
  expect(kept.mayRead(reader?.readKey)).toBe(true);
  expect(kept.mayRead(one?.adminKey)).toBe(false);
});

test('a browser that opens a second link keeps its cookie and the rights of its first page', () => {
  const { access: kept } = access();
  const link = (scope: 'read' | 'admin') => kept.newLink(scope, () => undefined);
  const first = kept.open(link('admin'));
  const second = kept.open(link('admin'), first?.readKey);
  const looking = kept.open(link('read'), first?.readKey);
  expect(second?.readKey).toBe(first?.readKey);
  expect(looking).toEqual({ readKey: first?.readKey, adminKey: undefined });
  expect(kept.mayAct(first?.readKey, first?.adminKey)).toBe(true);
  expect(kept.mayAct(first?.readKey, second?.adminKey)).toBe(true);
});

test('an unknown cookie is replaced', () => {
  const { access: kept } = access();
  const session = kept.open(
    kept.newLink('admin', () => undefined),
    'chosen',
  );
  expect(session?.readKey).not.toBe('chosen');
  expect(kept.mayRead('chosen')).toBe(false);
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
  const tokens = Array.from({ length: 100 }, () => kept.newLink('read', () => undefined));
  expect(tokens.filter((token) => kept.open(token))).toHaveLength(16);
  const sessions = Array.from({ length: 100 }, () => kept.open(kept.newLink('read', () => undefined)));
  expect(sessions.filter((session) => kept.mayRead(session?.readKey))).toHaveLength(32);
  expect(kept.mayRead(sessions.at(-1)?.readKey)).toBe(true);
});
