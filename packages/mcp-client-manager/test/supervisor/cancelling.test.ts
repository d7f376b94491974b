import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startScriptedHttp } from '../helpers/scripted-http.js';
import { failureOf, managerOf } from '../helpers/servers.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cancelling-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await expectNoLeaks();
});

test('stop sends cancellations for the calls in progress', async () => {
  const log = join(folder, 'log');
  const args = [fileURLToPath(new URL('fixtures/lists.mjs', import.meta.url)), log];
  const env = { LISTS: '[{"tools":[]}]' };
  const manager = managerOf({
    name: 'lists',
    command: process.execPath,
    args,
    env,
    limits: { shutdownTimeoutMs: 1_000 },
  });
  await manager.server('lists').start();
  const call = failureOf(manager.callTool('lists', 'hang'));
  await expect.poll(() => readFileSync(log, 'utf8'), { timeout: 20_000 }).toContain('tools/call');
  await manager.close();
  expect(await call).toMatchObject({
    code: 'outcome-unknown',
    cause: { code: 'server-stopping' },
    message: expect.stringContaining('was stopped'),
  });
  expect(readFileSync(log, 'utf8').trim().split('\n').at(-1)).toBe('notifications/cancelled');
});

test.each(['callTool', 'request'] as const)('over HTTP, too, where nothing else would end a %s', async (how) => {
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  await using web = await startScriptedHttp({ onCall: () => begin() });
  const manager = managerOf({ name: 'web', url: web.url, protocol: 'legacy' });
  const server = manager.server('web');
  await server.start();
  const call = failureOf(
    how === 'callTool' ? server.callTool('act') : server.request('tools/call', { name: 'act', arguments: {} }),
  );
  await begun;
  await manager.close();
  expect(await call).toMatchObject({ code: 'outcome-unknown', cause: { code: 'server-stopping' } });
  expect(web.log).toContain('notifications/cancelled');
  expect(web.sessions.size).toBe(0);
});

test('the signal of a call ends only that call', async () => {
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  await using web = await startScriptedHttp({ onCall: () => begin() });
  await using manager = managerOf({ name: 'web', url: web.url, protocol: 'legacy' });
  const end = new AbortController();
  const call = failureOf(manager.callTool('web', 'act', {}, { signal: end.signal }));
  await begun;
  const reason = new Error('enough');
  end.abort(reason);
  expect(await call).toBe(reason);
  expect(manager.server('web').state).toBe('running');
});
