import { expect, test } from 'vitest';
import { AnswerQueue } from '../../../src/session/server-requests/answer-queue.js';
import { failureOf } from '../../helpers/failure-of.js';

const { signal } = new AbortController();
const never = (): Promise<never> => new Promise(() => undefined);

test('a client that never responds delays no other, and has a limited queue', async () => {
  const turns = new AnswerQueue();
  for (let asked = 0; asked < 80; asked += 1) void turns.during('ada', signal, never);
  expect(await failureOf(turns.during('ada', signal, never))).toMatchObject({ code: -32_093 });
  expect(await turns.during('bob', signal, async () => 'bob’s')).toBe('bob’s');
});

test('limits the requests of all clients together', async () => {
  const turns = new AnswerQueue();
  for (let client = 0; client < 1_024; client += 1) void turns.during(client, signal, never);
  expect(await failureOf(turns.during('late', signal, never))).toMatchObject({ code: -32_093 });
});
