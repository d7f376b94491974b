import { expect, test } from 'vitest';
import { HiddenSecrets } from '../../src/secrets/hidden-secrets.js';
import { createRedactor, type Redactor } from '../../src/secrets/redactor.js';

/** Counts how often it is asked. */
function counted(redactor: Redactor): Redactor & { asked: number } {
  const count = (hide: (text: string) => string) => (text: string) => {
    counting.asked += 1;
    return hide(text);
  };
  const counting = {
    asked: 0,
    redact: count((text) => redactor.redact(text)),
    star: count((text) => redactor.star(text)),
    redactData: (data: unknown) => redactor.redactData(data),
    with: (values: Iterable<string>) => redactor.with(values),
  };
  return counting;
}

const over = () => true;

test('redacts secrets of a config after the next read and drops them with the one after it', () => {
  const hidden = new HiddenSecrets(createRedactor(['first-secret']));
  hidden.switchTo(createRedactor(['second-secret']), over);
  expect(hidden.redactor.redact('first-secret second-secret')).toBe('*** ***');
  hidden.switchTo(createRedactor(['third-secret']), over);
  expect(hidden.redactor.redact('first-secret second-secret third-secret')).toBe('first-secret *** ***');
});

test('redacts secrets of a config as long as it is in use', () => {
  let isOver = false;
  const hidden = new HiddenSecrets(createRedactor(['first-secret']));
  hidden.switchTo(createRedactor(['second-secret']), () => isOver);
  for (let count = 0; count < 5; count++) hidden.switchTo(createRedactor([`other-secret-${count}`]), over);
  expect(hidden.redactor.redact('first-secret second-secret other-secret-4')).toBe('*** second-secret ***');
  isOver = true;
  hidden.switchTo(createRedactor(['last-secret']), over);
  expect(hidden.redactor.redact('first-secret last-secret')).toBe('first-secret ***');
});

test('keeps the cost of redaction constant over a thousand reads', () => {
  const redactors = Array.from({ length: 1_000 }, () => counted(createRedactor(['the-secret'])));
  const [first, ...others] = redactors;
  const hidden = new HiddenSecrets(first as Redactor);
  for (const redactor of others) hidden.switchTo(redactor, over);
  expect(hidden.redactor.redact('the-secret')).toBe('***');
  expect(redactors.reduce((sum, { asked }) => sum + asked, 0)).toBe(2);
});

test('a config that does not come into use leaves no trace', () => {
  const hidden = new HiddenSecrets(createRedactor(['first-secret']));
  const undo = hidden.switchTo(createRedactor(['second-secret']), over);
  expect(hidden.redactor.redact('first-secret second-secret')).toBe('*** ***');
  undo();
  expect(hidden.redactor.redact('first-secret second-secret')).toBe('*** second-secret');
});

test('every form of redaction covers both configs', () => {
  const hidden = new HiddenSecrets(createRedactor(['first-secret']));
  hidden.switchTo(createRedactor(['second-secret']), over);
  const { redactor } = hidden;
  expect(redactor.star('first-secret\nsecond-secret')).toBe('************\n*************');
  expect(redactor.redactData({ 'first-secret': ['second-secret'] })).toEqual({ '***': ['***'] });
  expect(redactor.with(['third-secret']).redact('first-secret second-secret third-secret')).toBe('*** *** ***');
});
