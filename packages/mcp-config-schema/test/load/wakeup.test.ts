import { expect, test } from 'vitest';
import { Wakeup } from '../../src/load/wakeup.js';

test('work that began without a notification is not finished before it is done', async () => {
  const wakeup = new Wakeup();
  await wakeup.idle({ timeoutMs: 1, quietMs: 1 });
  const order: string[] = [];
  const finished = wakeup.finished().then(() => order.push('finished'));
  await new Promise(setImmediate);
  order.push('done');
  const idle = wakeup.idle({ timeoutMs: 60_000, quietMs: 1 });
  await finished;
  expect(order).toEqual(['done', 'finished']);
  wakeup.end();
  await idle;
});
