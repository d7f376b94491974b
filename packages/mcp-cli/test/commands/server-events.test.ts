import { readFile } from 'node:fs/promises';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { onStage, upOn } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';

afterEach(expectNoLeaks);

interface Event {
  readonly at: string;
  readonly server: string;
  readonly event: string;
  readonly detail?: string;
}

async function eventsOn(stage: DaemonStage, ...argv: readonly string[]): Promise<readonly Event[]> {
  const { stdout } = await onStage(stage, ['logs', '--events', '--json', ...argv]);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

async function pidOf(stage: DaemonStage, name: string): Promise<number> {
  const { servers } = JSON.parse((await onStage(stage, ['status', name, '--json'])).stdout);
  return servers[0].pid;
}

describe('logs --events', () => {
  test('shows a crash and the restart, and after the daemon has ended all of its life', async () => {
    await using stage = await daemonStage([
      { name: 'git', server: 'echo' },
      { name: 'other', server: 'echo' },
    ]);
    await upOn(stage);
    const pid = await pidOf(stage, 'git');
    process.kill(pid, 'SIGKILL');
    const events = await until(async () => {
      const found = await eventsOn(stage, 'git');
      return found.filter(({ event }) => event === 'ready').length === 2 && found;
    });
    expect(events.map(({ server, event, detail }) => ({ server, event, detail }))).toEqual([
      { server: 'git', event: 'starting', detail: undefined },
      { server: 'git', event: 'ready', detail: `process ${pid}, 8 tools` },
      { server: 'git', event: 'crashed', detail: expect.stringMatching(/SIGKILL.*; next attempt in 0\.\d s$/) },
      { server: 'git', event: 'restarting', detail: undefined },
      { server: 'git', event: 'ready', detail: expect.stringMatching(/^process \d+, 8 tools$/) },
    ]);

    await onStage(stage, ['down']);
    const all = await eventsOn(stage);
    expect(new Set(all.map(({ server }) => server))).toEqual(new Set(['git', 'other']));
    expect(await eventsOn(stage, 'git')).toEqual([
      ...events,
      { at: expect.any(String), server: 'git', event: 'stopped' },
    ]);
    const last = await onStage(stage, ['logs', '--events', 'git', '-n', '1']);
    expect(last).toMatchObject({ exitCode: exitCodes.ok, stderr: '' });
    expect(last.stdout).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z git stopped\n$/);
  });

  test('shows why the tools of a server are withdrawn, in lines that the log of the daemon has, too', async () => {
    await using stage = await daemonStage(
      [
        {
          name: 'db',
          server: 'exits-at-once',
          fields: { restart_on_failure: false, env: { TOKEN: `\${EVENTS_TOKEN}` } },
          args: ['--stderr', 'refused s3cr3t-of-the-database'],
        },
      ],
      { env: { EVENTS_TOKEN: 's3cr3t-of-the-database' } },
    );
    await onStage(stage, ['up']);
    const events = await until(async () => {
      const found = await eventsOn(stage);
      return found.some(({ event }) => event === 'withdrawn') && found;
    });
    expect(events.map(({ event }) => event)).toEqual(['starting', 'start-failed', 'withdrawn']);
    expect(events[2]?.detail).toMatch(/Its tools are not offered until it works again\./);
    const log = await readFile(stage.place.paths.logFile, 'utf8');
    for (const { at, server, event, detail } of events) {
      expect(log).toContain(`${at} server "${server}" ${event}${detail === undefined ? '' : `: ${detail}`}\n`);
    }
    expect(log).not.toContain('s3cr3t-of-the-database');
  });

  test('--follow continues with new events', async () => {
    await using stage = await daemonStage([{ name: 'git', server: 'echo' }]);
    await upOn(stage);
    const interruption = new AbortController();
    let stopped: Promise<unknown> | undefined;
    const followed = await onStage(stage, ['logs', '--events', '--follow'], {
      signal: interruption.signal,
      onStdout: (text) => {
        if (text.includes('git ready')) stopped ??= onStage(stage, ['stop', 'git']);
        if (text.includes('git stopped')) interruption.abort();
      },
    });
    await stopped;
    expect(followed.exitCode).toBe(exitCodes.interrupted);
    expect(followed.stdout).toMatch(/^\S+Z git starting\n\S+Z git ready: .*\n\S+Z git stopped\n$/);
  });

  test('without any event says so, and refuses an unknown name', async () => {
    await using stage = await daemonStage([{ name: 'git', server: 'echo' }]);
    expect(await onStage(stage, ['logs', '--events', 'git'])).toEqual({
      exitCode: exitCodes.ok,
      stdout: '',
      stderr: 'The daemon\'s log has no events of git. "mcpx up" starts servers in the daemon.\n',
    });
    const unknown = await onStage(stage, ['logs', '--events', 'gti']);
    expect(unknown.exitCode).toBe(exitCodes.notFound);
    expect(unknown.stderr).toContain('Did you mean "git"?');
  });
});

test.each([[['logs']], [['logs', 'git', 'other']]])('%j is refused with the form that works', async (argv) => {
  await using stage = await daemonStage([{ name: 'git', server: 'echo' }]);
  const { exitCode, stderr } = await onStage(stage, argv);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toContain('needs the name of one server');
  expect(stderr).toContain('"mcpx logs --events"');
});
