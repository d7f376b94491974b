import { expect, test } from 'vitest';
import { AnswerTurns } from '../../src/session/answer-turns.js';
import { failureOf } from '../helpers/failure-of.js';

const { signal } = new AbortController();
const never = (): Promise<never> => new Promise(() => undefined);

test('a client that answers nothing keeps no other from answering, and is asked for so much only', async () => {
  const turns = new AnswerTurns();
  for (let asked = 0; asked < 80; asked += 1) void turns.during('ada', signal, never);
  expect(await failureOf(turns.during('ada', signal, never))).toMatchObject({ code: -32_093 });
  expect(await turns.during('bob', signal, async () => 'bob’s')).toBe('bob’s');
});

test('all clients together are asked for so much only', async () => {
  const turns = new AnswerTurns();
  for (let client = 0; client < 1_024; client += 1) void turns.during(client, signal, never);
  expect(await failureOf(turns.during('late', signal, never))).toMatchObject({ code: -32_093 });
});
