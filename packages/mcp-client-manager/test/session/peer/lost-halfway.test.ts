import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { temporaryDirectory } from '../../helpers/processes.js';
import { failureOf, fixtureSpec, managerWith, serverSpec } from '../../helpers/servers.js';

afterEach(expectNoLeaks);

test.each([
  ['works on it as a task', 'works-as-task'],
  ['waits for input to it', 'wants-input'],
])('does not repeat a call whose server dies while it %s, and fails at once', async (_, habit) => {
  const directory = await temporaryDirectory();
  const file = join(directory, 'calls');
  const roots = (): Promise<never> => new Promise(() => undefined);
  await using manager = managerWith({ handlers: { roots } }, fixtureSpec('dies-halfway.mjs', [habit, file]));
  const failure = await failureOf(manager.callTool('fixture', 'pay', {}, { timeoutMs: 20_000 }));
  expect(failure).toMatchObject({ code: 'outcome-unknown', retryable: false });
  expect((failure as Error).message).toContain('exited (code 7) while it worked on "pay"');
  expect(await readFile(file, 'utf8')).toBe('paid\n');
});

test('repeats a call that the server did not read before it died', async () => {
  await using manager = managerWith({}, serverSpec('stops-reading', [], { restart: { onFailure: false } }));
  const server = manager.server('stops-reading');
  await server.callTool('stop');
  const large = 'x'.repeat(500_000);
  const requests = Array.from({ length: 8 }, (_, index) =>
    failureOf(server.request('tools/list', { _meta: { index, large } })),
  );
  process.kill(server.status.pid as number, 'SIGKILL');
  const [first, ...others] = (await Promise.all(requests)) as { code: string }[];
  // The first one is on its way in the pipe; the others wait for that. Whether the loss is seen at the pipe or at the
  // process first decides which of two codes they get: either says that the server does not have them.
  expect(first).toMatchObject({ code: 'outcome-unknown' });
  for (const { code } of others) expect(['connection-lost', 'start-failed']).toContain(code);
});
