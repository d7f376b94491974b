import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { dashboard } from '../../src/commands/dashboard.js';
import { buildPage } from '../helpers/build-page.js';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { signIn } from '../helpers/dashboard-client.js';
import { runMcpx } from '../helpers/run-mcpx.js';

afterEach(expectNoLeaks);

/** A daemon that has its page, as the published one has. */
async function stageWithPage(): Promise<DaemonStage> {
  const stage = await daemonStage();
  await buildPage(pageOf(stage));
  return stage;
}

function pageOf({ io }: DaemonStage): string {
  return join(dirname(io.daemonPrograms?.worker.at(-1) ?? ''), 'dashboard');
}

describe('mcpx dashboard', () => {
  test('starts the daemon and prints a link that gives full access', async () => {
    await using stage = await stageWithPage();
    const { exitCode, stdout, stderr } = await stage.run((io) => dashboard({ open: false }, io));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'The link can be opened once within 2 minutes.\n' });
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/#link=[\w-]{43}\n$/);
    const page = await signIn({ url: stdout.trim() });
    expect((await page.get('')).text).toContain('<title>mcpx dashboard</title>');
    const question = await page.post('api/admin/confirmations', { action: 'restart', server: 'echo' });
    const done = await page.post('api/admin/actions', { confirmation: question.json().id });
    expect(done.json()).toEqual({ isDone: true, message: '“echo” is restarted.' });

    const second = await stage.run((io) => dashboard({ open: false, readOnly: true, json: true }, io));
    const { url, expiresInMs } = JSON.parse(second.stdout);
    expect(expiresInMs).toBe(120_000);
    expect(new URL(url).origin).toBe(page.origin);
    expect((await signIn({ url })).adminKey).toBeUndefined();

    const third = await stage.run((io) => dashboard({ open: false, calls: false, json: true }, io));
    const operator = await signIn(JSON.parse(third.stdout));
    expect((await operator.post('api/admin/confirmations', { action: 'restart', server: 'echo' })).status).toBe(200);
    const call = await operator.post('api/control/call', { tool: 'mcp__echo__echo', args: { text: 'x' } });
    expect(call.json().error.code).toBe('no-calls');
    expect((await operator.post('api/control/recordedCalls', { ids: [1] })).json()).toEqual({ result: [] });

    const fourth = await stage.run((io) => dashboard({ open: false, recordCalls: true, json: true }, io));
    const recorder = await signIn(JSON.parse(fourth.stdout));
    await recorder.post('api/control/call', { tool: 'mcp__echo__echo', args: { text: 'to be recorded' } });
    const found = (await recorder.post('api/control/findRecordedCalls', { text: 'to be recorded' })).json();
    expect(found.result).toHaveLength(1);
    const kept = (await operator.post('api/control/recordedCalls', { ids: found.result })).json();
    expect(kept.result).toMatchObject([{ args: { json: '{"text":"to be recorded"}' } }]);
  });

  test('opens the link without exposing it to other programs, and leaves no file behind', async () => {
    await using stage = await stageWithPage();
    const opened: string[] = [];
    const { exitCode, stdout, stderr } = await stage.run((io) =>
      dashboard(
        { open: true },
        {
          ...io,
          stdout: { ...io.stdout, isTTY: true },
          openFile: async (path) => {
            opened.push(path);
            expect((await stat(path)).mode & 0o777).toBe(0o600);
            const url = /url=([^"]+)"/.exec(await readFile(path, 'utf8'))?.[1] ?? '';
            await signIn({ url });
            return true;
          },
        },
      ),
    );
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'The link can be opened once within 2 minutes.\nThe dashboard is open.\n',
    });
    const token = stdout.trim().split('#link=')[1] ?? '';
    expect(opened).toHaveLength(1);
    expect(opened[0]).not.toContain(token);
    const left = await readdir(stage.place.paths.directory);
    expect(left.filter((name) => name.endsWith('.html'))).toEqual([]);
    const log = await readFile(stage.place.paths.logFile, 'utf8');
    expect(log).not.toContain(token);
  });

  test('without a browser only prints the link', async () => {
    await using stage = await stageWithPage();
    const { exitCode, stderr } = await stage.run((io) =>
      dashboard({ open: true }, { ...io, stdout: { ...io.stdout, isTTY: true }, openFile: async () => false }),
    );
    expect(exitCode).toBe(0);
    expect(stderr).toContain('No browser is available here. Open the link yourself.');
  });

  test('with its link in a pipe opens nothing and does not wait', async () => {
    await using stage = await stageWithPage();
    let opened = 0;
    const { exitCode, stdout, stderr } = await stage.run((io) =>
      dashboard(
        { open: true },
        {
          ...io,
          openFile: async () => {
            opened += 1;
            return true;
          },
        },
      ),
    );
    expect({ exitCode, opened }).toEqual({ exitCode: 0, opened: 0 });
    expect(stdout).toMatch(/^http:\S+#link=\S+\n$/);
    expect(stderr).toBe('The link can be opened once within 2 minutes.\n');
  });

  test('ends at once when interrupted, and the link stays valid', async () => {
    await using stage = await stageWithPage();
    const interruption = new AbortController();
    let printed = '';
    const command = dashboard(
      { open: true },
      {
        ...stage.io,
        signal: interruption.signal,
        stdout: {
          isTTY: true,
          write: (text) => {
            printed += text;
          },
        },
        openFile: async () => {
          interruption.abort(new Error('Ctrl-C'));
          return true;
        },
      },
    );
    await expect(command).rejects.toThrow('Ctrl-C');
    expect((await signIn({ url: printed.trim() })).adminKey).toBeDefined();
  });

  test('reports missing files of the page', async () => {
    await using stage = await daemonStage();
    await rm(pageOf(stage), { recursive: true, force: true });
    await expect(stage.run((io) => dashboard({ open: false }, io))).rejects.toMatchObject({
      message: expect.stringContaining('The files of the dashboard cannot be read'),
      hint: 'Install the package again, or build it.',
    });
  });

  test('lists its options in the help', async () => {
    const { stdout } = await runMcpx(['dashboard', '--help']);
    expect(stdout).toContain('--no-open');
    expect(stdout).toContain('--read-only');
  });
});
