import { expect, test } from 'vitest';
import { callAsTask } from '../../../src/session/tools/tool-task.js';
import { failureOf } from '../../helpers/failure-of.js';

const { signal } = new AbortController();

test('accepts a task id of 4 KiB and refuses a longer one', async () => {
  const call = (taskId: string) =>
    callAsTask({
      server: 's',
      tool: 't',
      params: {},
      signal,
      ended: signal,
      redact: (text) => text,
      send: async (method) => (method === 'tools/call' ? { task: { taskId, status: 'completed' } } : { content: [] }),
    });
  expect(await call('x'.repeat(4_096))).toEqual({ content: [] });
  for (const taskId of ['x'.repeat(4_097), 'ü'.repeat(2_049)]) {
    expect(await failureOf(call(taskId))).toMatchObject({ code: 'server-error' });
  }
});
