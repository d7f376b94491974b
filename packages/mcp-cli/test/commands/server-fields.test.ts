import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { inCommandWords } from '../../src/output/command-words.js';
import { daemonStage } from '../helpers/daemon-stage.js';
import { project } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { onStage, upOn } from '../helpers/stage-commands.js';

afterEach(expectNoLeaks);

test.each([
  ['status'],
  ['search', 'anything'],
  ['roles'],
  ['doctor'],
  ['validate'],
  ['__complete', '--next', 'mcpx', 'call'],
])('mcpx %s starts no eager server', async (...words) => {
  await using here = await project({});
  const mark = join(here.folder, 'it-ran');
  const script = `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`;
  await using eager = await project({
    'mcp_servers.yaml': JSON.stringify({
      mcp_servers: { e: { command: process.execPath, args: ['-e', script], eager: true, auto_start: true } },
    }),
  });
  const { stderr } = await runMcpx(words, { cwd: eager.folder, env: { PATH: process.env.PATH, MCPX_TRUST: '1' } });
  expect(stderr).not.toContain('unknown');
  expect(existsSync(mark)).toBe(false);
});

test('a daemon starts its eager servers and no disabled one', async () => {
  await using stage = await daemonStage([
    { name: 'eager', server: 'echo', fields: { auto_start: false, eager: true } },
    { name: 'off', server: 'echo', fields: { auto_start: true, disabled: true } },
  ]);
  await upOn(stage);
  const status = async () => JSON.parse((await onStage(stage, ['status', '--json'])).stdout);
  await expect.poll(status, { timeout: 20_000 }).toMatchObject({
    servers: [
      { name: 'eager', state: 'running' },
      { name: 'off', disabled: true },
    ],
  });
  const started = await onStage(stage, ['start', 'off']);
  expect(started.exitCode).not.toBe(exitCodes.ok);
  expect(started.stderr).toContain('disabled');
});

test('up starts an eager server again that was stopped', async () => {
  await using stage = await daemonStage([
    { name: 'eager', server: 'echo', fields: { auto_start: false, eager: true } },
  ]);
  await upOn(stage);
  await onStage(stage, ['stop', 'eager']);
  const { exitCode, stdout } = await onStage(stage, ['up']);
  expect(exitCode).toBe(exitCodes.ok);
  expect(stdout).toContain('eager is up');
});

test('messages name the fields of the config', () => {
  expect(
    inCommandWords(
      'raise "limits.maxConcurrentCalls" or "limits.maxQueuedCalls", or allow "restart.maxAttempts" or "allowedTools"',
    ),
  ).toBe('raise max_concurrent_calls or max_queued_calls, or allow max_restart_attempts or allowed_tools');
});
