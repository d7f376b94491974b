import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { down, up } from '../../src/commands/up.js';
import { endDaemon } from '../../src/daemon/end-daemon.js';
import { ensureDaemon } from '../../src/daemon/ensure-daemon.js';
import { findDaemon } from '../../src/daemon/find-daemon.js';
import { isAlive, type ProcessIdentity, sendSignal } from '../../src/daemon/system-process.js';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { serversFile } from '../helpers/project.js';
import { until } from '../helpers/until.js';

afterEach(expectNoLeaks);

/** Ends processes the hard way, several at once: each is stopped first, so that none has time to see another's end. */
function kill(...processes: readonly ProcessIdentity[]): void {
  for (const { pid } of processes) process.kill(pid, 'SIGSTOP');
  for (const identity of processes) expect(sendSignal(identity, 'SIGKILL')).toBe(true);
}

async function running(
  stage: DaemonStage,
): Promise<{ readonly parent: ProcessIdentity; readonly worker: ProcessIdentity }> {
  const { parent, phase } = await stage.state();
  if (phase.name !== 'ready') throw new Error(`the daemon is ${phase.name}`);
  return { parent, worker: phase.worker };
}

const isGone = (process: ProcessIdentity) => until(() => !isAlive(process));
const nothingIsLeft = (stage: DaemonStage) => until(async () => (await stage.processes()).length === 0);

describe('a daemon', () => {
  test('outlives the command that started it, and the next command finds it with its servers', async () => {
    await using stage = await daemonStage();
    expect(await findDaemon({}, stage.io)).toBeUndefined();
    {
      await using first = await ensureDaemon({}, stage.io);
      expect(await first.start()).toEqual([{ server: 'echo', status: 'done' }]);
    }
    await using second = await findDaemon({}, stage.io);
    expect((await second?.status())?.servers).toMatchObject([{ name: 'echo', state: 'running' }]);
    const result = await second?.call({ tool: 'mcp__echo__echo', args: { text: 'over there' } });
    expect(JSON.stringify(result)).toContain('over there');
    const { parent, worker } = await running(stage);
    expect(await second?.daemonInfo()).toMatchObject({ pid: parent.pid, workerPid: worker.pid, protocol: 2 });
  });

  test.each(['given up after its time', 'interrupted'])(
    'that does not respond does not block a user who is %s',
    async (how) => {
      const silent = [process.execPath, '-e', 'setInterval(() => undefined, 1000)', '--'];
      const programs = () => ({ command: silent, parent: silent, worker: silent });
      await using stage = await daemonStage([], { programs });
      const pipes = () => process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length;
      const before = pipes();
      const interrupted = new AbortController();
      const started = ensureDaemon(
        { timeoutMs: how === 'interrupted' ? 60_000 : 1_000 },
        { ...stage.io, signal: interrupted.signal },
      );
      const failed = started.catch((error: unknown) => error);
      const [child] = await until(async () => {
        const found = await stage.processes();
        return found.length > 0 && found;
      });
      if (how === 'interrupted') interrupted.abort(new Error('enough'));
      expect(await failed).toMatchObject(
        how === 'interrupted' ? { message: 'enough' } : { code: 'daemon-start-failed' },
      );
      await until(() => pipes() === before);
      process.kill(child?.pid ?? 0, 'SIGKILL');
      await nothingIsLeft(stage);
    },
  );

  test('is the same one for ten concurrent commands', async () => {
    await using stage = await daemonStage();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => stage.run((io) => up({ servers: [], json: true }, io))),
    );
    expect(outcomes.map(({ exitCode }) => exitCode)).toEqual(Array.from({ length: 10 }, () => 0));
    expect(new Set(outcomes.map(({ stdout }) => JSON.parse(stdout).daemon.pid)).size).toBe(1);
    const names = (await stage.processes()).map(({ command }) => command.split('/').at(-1));
    expect(names.toSorted()).toEqual(['echo.js', 'mcpx daemon', 'mcpx worker']);
  });

  test('with an invalid config does not start, and the command reports the faults', async () => {
    await using stage = await daemonStage();
    await writeFile(join(stage.folder, 'mcp_servers.yaml'), 'mcp_servers: 7\n');
    const started = ensureDaemon({}, stage.io);
    await expect(started).rejects.toMatchObject({ code: 'invalid-config', exitCode: 3 });
    await nothingIsLeft(stage);
    expect(await readdir(stage.place.paths.directory)).toEqual([]);
  });

  test('whose program cannot run is reported', async () => {
    await using stage = await daemonStage();
    const nowhere = { command: [], parent: ['/no/such/program'], worker: [] };
    await expect(ensureDaemon({}, { ...stage.io, daemonPrograms: nowhere })).rejects.toMatchObject({
      code: 'daemon-start-failed',
      hint: expect.stringContaining('"mcpx up --foreground"'),
    });
    await expect(ensureDaemon({}, { ...stage.io, daemonPrograms: undefined })).rejects.toMatchObject({
      code: 'daemon-start-failed',
    });
  });

  test('ends after its idle time', async () => {
    await using stage = await daemonStage();
    {
      await using control = await ensureDaemon({ idleExitMs: 1_000 }, stage.io);
      await control.start();
    }
    await nothingIsLeft(stage);
    expect(await findDaemon({}, stage.io)).toBeUndefined();
    expect(await readFile(stage.place.paths.logFile, 'utf8')).toContain('the daemon was idle');
  });

  test('keeps the idle time that a command has set, also after a crash of its worker', async () => {
    await using stage = await daemonStage();
    {
      await using control = await ensureDaemon({}, stage.io);
      await control.setIdleExit({ idleExitMs: 1_000 });
      const { worker } = await running(stage);
      kill(worker);
      await isGone(worker);
    }
    await nothingIsLeft(stage);
    expect(await findDaemon({}, stage.io)).toBeUndefined();
    expect(await readFile(stage.place.paths.logFile, 'utf8')).toMatch(
      /the worker ended: .*\n[\s\S]*the daemon was idle/,
    );
  });

  test('leaves only its log behind', async () => {
    await using stage = await daemonStage();
    await (await ensureDaemon({}, stage.io))[Symbol.asyncDispose]();
    expect(await stage.run((io) => down({}, io))).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('has ended'),
    });
    expect(await readdir(stage.place.paths.directory)).toEqual([]);
    expect(await endDaemon({}, stage.io)).toBeUndefined();
  });
});

describe('a terminal', () => {
  test('does not end a daemon when it closes', async () => {
    await using stage = await daemonStage();
    await (await ensureDaemon({}, stage.io))[Symbol.asyncDispose]();
    const { parent, worker } = await running(stage);
    if (process.platform === 'linux') {
      for (const { pid } of [parent, worker]) {
        const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
        const [, , , session, terminal] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        expect({ session, terminal }).toEqual({ session: String(pid), terminal: '0' });
      }
    }
    sendSignal(parent, 'SIGHUP');
    await until(async () => (await readFile(stage.place.paths.logFile, 'utf8')).includes('read again'));
    expect(isAlive(worker)).toBe(true);
  });

  test('ends a foreground daemon with an interrupt', async () => {
    await using stage = await daemonStage([
      { name: 'echo', server: 'echo' },
      { name: 'mute', server: 'never-initializes' },
    ]);
    const interruption = new AbortController();
    const command = stage.run((io) => up({ servers: [], foreground: true }, io), { signal: interruption.signal });
    try {
      // It is ready before its servers are.
      await using control = await until(() => findDaemon({}, stage.io));
      await until(async () => (await control.status()).servers[0]?.state === 'running');
      const second = stage.run((io) => up({ servers: [], foreground: true }, io));
      await expect(second).rejects.toMatchObject({
        code: 'daemon-start-failed',
        message: expect.stringContaining('is already running'),
      });
    } finally {
      interruption.abort(); // before the stage looks for the daemon, which is this very process
    }
    expect(await command).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('The daemon is ready') });
    await nothingIsLeft(stage);
  });
});

describe('a secret', () => {
  const secret = 'sentinel/value+7f3a';
  const forms = [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)];
  const hasNone = (text: string): void => {
    for (const form of forms) expect(text).not.toContain(form);
  };

  test('of a server appears only in its environment', async () => {
    const program =
      'const t = process.env.TOKEN; console.error("plain " + t, Buffer.from(t).toString("base64"), encodeURIComponent(t)); process.exit(3)';
    await using stage = await daemonStage(
      [
        {
          name: 'tells',
          server: 'echo',
          fields: { args: ['-e', program], env: { TOKEN: '{{ env.TOKEN }}' }, restart_on_failure: false },
        },
        { name: 'keeps', server: 'echo', fields: { env: { TOKEN: '{{ env.TOKEN }}' } } },
      ],
      { env: { TOKEN: secret } },
    );
    const { stdout, stderr, exitCode } = await stage.run((io) => up({ servers: [] }, io));
    expect(exitCode).toBe(4);
    expect(stderr).toContain('plain ***');
    hasNone(stdout + stderr);
    for (const { command } of await stage.processes()) hasNone(command);
    await using control = await findDaemon({}, stage.io);
    hasNone(JSON.stringify(await control?.status()));
    const lines: string[] = [];
    for await (const { line } of control?.logs({ server: 'tells' }) ?? []) lines.push(line);
    expect(lines.join('\n')).toContain('plain ***');
    hasNone(lines.join('\n'));
    await control?.reload();
    await filesHaveNone(stage);
  });

  test('that a server receives is redacted when the server repeats it', async () => {
    // Says all that it was sent, as a careless server does.
    const server = createServer((request, response) => {
      response.writeHead(500, { 'content-type': 'text/plain', 'x-was-asked': String(request.headers['x-key']) });
      response.end(`no such thing: ${request.url} ${JSON.stringify(request.headers)}`);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const reached = {
      command: undefined,
      args: undefined,
      env: undefined,
      url: `http://127.0.0.1:${port}/{{ env.TOKEN }}/mcp?key={{ env.TOKEN }}`,
      headers: { 'x-key': '{{ env.TOKEN }}', authorization: 'Bearer {{ env.TOKEN }}' },
    };
    const crashes = 'console.error("started with " + process.argv.join(" ")); process.exit(3)';
    const given = { args: ['-e', crashes, '--', '--token={{ env.TOKEN }}'], restart_on_failure: false };
    try {
      await using stage = await daemonStage(
        [
          { name: 'web', server: 'echo', fields: reached },
          { name: 'given', server: 'echo', fields: given },
        ],
        { env: { TOKEN: secret } },
      );
      const { stdout, stderr } = await stage.run((io) => up({ servers: [] }, io));
      expect(stderr).toContain('web');
      expect(stderr).toContain('--token=***');
      hasNone(stdout + stderr);
      await using control = await findDaemon({}, stage.io);
      hasNone(JSON.stringify(await control?.status()));
      const failure = await control
        ?.call({ tool: 'mcp__web__any', args: {} })
        .catch((error) => inspect(error, { depth: 9 }));
      hasNone(String(failure));
      hasNone(JSON.stringify(await control?.requirements()));
      await filesHaveNone(stage);
    } finally {
      server.close();
    }
  });

  async function filesHaveNone(stage: DaemonStage): Promise<void> {
    for (const name of await readdir(stage.folder, { recursive: true, withFileTypes: true })) {
      if (name.isFile()) hasNone(await readFile(join(name.parentPath, name.name), 'utf8'));
    }
  }
});

describe('a place that others can access', () => {
  test('is refused, and no daemon is found or started there', async () => {
    await using stage = await daemonStage();
    const root = join(stage.folder, 'run', 'mcpx');
    await mkdir(root);
    await chmod(root, 0o777);
    for (const attempt of [ensureDaemon, findDaemon, endDaemon]) {
      await expect(attempt({}, stage.io)).rejects.toMatchObject({
        code: 'unsafe-directory',
        message: expect.stringContaining(root),
      });
    }
    await chmod(root, 0o700);
  });

  test.skipIf(process.platform === 'win32')('with a state file that others can read is refused at once', async () => {
    await using stage = await daemonStage();
    await using _control = await ensureDaemon({}, stage.io);
    const { stateFile } = stage.place.paths;
    await chmod(stateFile, 0o605);
    for (const attempt of [ensureDaemon, findDaemon]) {
      await expect(attempt({}, stage.io)).rejects.toMatchObject({
        code: 'unsafe-directory',
        message: `The state file ${stateFile} can be read or changed by other users (mode 605), so the daemon cannot be trusted.`,
      });
    }
    expect(await endDaemon({}, stage.io)).toBeDefined();
  });

  test('with a foreign state file does not lead to another process', async () => {
    await using stage = await daemonStage();
    await mkdir(stage.place.paths.directory, { recursive: true, mode: 0o700 });
    await chmod(join(stage.folder, 'run', 'mcpx'), 0o700);
    const planted = { format: 1, version: 'x', protocol: 2, parent: { pid: -1, startTime: '', table: '' } };
    await writeFile(stage.place.paths.stateFile, JSON.stringify(planted), { mode: 0o600 });
    expect(await findDaemon({}, stage.io)).toBeUndefined();
    expect(await endDaemon({}, stage.io)).toBeUndefined();
    await using control = await ensureDaemon({}, stage.io);
    expect((await control.status()).servers).toHaveLength(1);
  });
});

describe('kill -9', () => {
  const stubborn = [
    { name: 'stubborn', server: 'ignores-sigterm' },
    { name: 'family', server: 'leaves-grandchild' },
  ] as const;

  test('of the worker ends its servers, and another worker restarts them', async () => {
    await using stage = await daemonStage(stubborn);
    await using control = await ensureDaemon({}, stage.io);
    await control.start();
    const before = await stage.processes();
    const { parent, worker } = await running(stage);
    kill(worker);
    await expect(control.status()).rejects.toMatchObject({ code: 'daemon-lost', retryable: true });
    await using after = await findDaemon({}, stage.io);
    const rows = await until(async () => {
      const { servers } = (await after?.status()) ?? {};
      return servers?.every(({ state }) => state === 'running') && servers;
    });
    for (const { pid } of rows) expect(before.map((process) => process.pid)).not.toContain(pid);
    expect((await running(stage)).parent).toEqual(parent);
    const files = await readdir(stage.place.paths.directory);
    expect(files.toSorted()).toEqual([expect.stringMatching(/\.sock$/), 'lock.1', 'state.json']);
    const still = await stage.processes();
    const old = before.filter(({ pid }) => pid !== parent.pid);
    expect(still.filter(({ pid }) => old.some((process) => process.pid === pid))).toEqual([]);
  });

  test('of the parent ends the worker and its servers', async () => {
    await using stage = await daemonStage(stubborn);
    await using control = await ensureDaemon({}, stage.io);
    await control.start();
    const { parent } = await running(stage);
    kill(parent);
    await nothingIsLeft(stage);
    expect(await findDaemon({}, stage.io)).toBeUndefined();
  });

  test('of both ends every server, and the next daemon starts normally', async () => {
    await using stage = await daemonStage(stubborn);
    await using control = await ensureDaemon({}, stage.io);
    await control.start();
    const { parent, worker } = await running(stage);
    kill(parent, worker);
    await nothingIsLeft(stage);
    await using next = await ensureDaemon({}, stage.io);
    expect((await next.status()).servers).toMatchObject([{ state: 'stopped' }, { state: 'stopped' }]);
  });

  test('of the parent delays a new daemon until the old worker is gone', async () => {
    await using stage = await daemonStage();
    await using control = await ensureDaemon({}, stage.io);
    await control.start();
    const { parent, worker } = await running(stage);
    kill(parent);
    await isGone(parent);
    await using next = await ensureDaemon({}, stage.io);
    expect(isAlive(worker)).toBe(false);
    expect((await next.daemonInfo())?.pid).not.toBe(parent.pid);
  });

  test('of each new worker parks the daemon, which reports it and can be ended', async () => {
    await using stage = await daemonStage();
    await (await ensureDaemon({}, stage.io))[Symbol.asyncDispose]();
    const { parent } = await running(stage);
    let last: number | undefined;
    const parked = await until(async () => {
      const { phase } = await stage.state();
      if (phase.name === 'ready' && phase.worker.pid !== last) {
        last = phase.worker.pid;
        sendSignal(phase.worker, 'SIGKILL');
      }
      return phase.name === 'parked' && phase;
    });
    expect(parked.reason).toContain('SIGKILL');
    await expect(findDaemon({}, stage.io)).rejects.toMatchObject({
      code: 'daemon-parked',
      hint: expect.stringContaining('mcpx down'),
    });
    expect(await endDaemon({}, stage.io)).toBe(parent.pid);
  });
});

describe('signals', () => {
  const names = async (stage: DaemonStage): Promise<string> =>
    (await stage.processes()).map(({ command }) => command).join('\n');

  test.each([
    ['its parent is there', 'daemon'],
    ['its worker is there', 'worker'],
    ['its first server is there', 'never-initializes'],
  ])('TERM while the daemon starts ends it: %s', async (_when, name) => {
    await using stage = await daemonStage([{ name: 'mute', server: 'never-initializes' }], {
      settings: { startup_timeout_seconds: 60 },
    });
    const started = stage.run((io) => up({ servers: [] }, io)).catch(() => undefined);
    await until(async () => (await names(stage)).includes(name));
    const processes = await stage.processes();
    const parent = processes.find(({ command }) => /daemon-parent|mcpx daemon/.test(command));
    process.kill(parent?.pid as number, 'SIGTERM');
    await nothingIsLeft(stage);
    await started;
    expect(await findDaemon({}, stage.io)).toBeUndefined();
    await using next = await ensureDaemon({}, stage.io); // nothing is in its way
    expect((await next.status()).servers).toHaveLength(1);
  });

  test.each([1, 2])('TERM while the config is read again, %i times, leaves nothing behind', async (times) => {
    await using stage = await daemonStage([{ name: 'stubborn', server: 'ignores-sigterm' }]);
    await using control = await ensureDaemon({}, stage.io);
    await control.start();
    const { parent } = await running(stage);
    const [first] = await stage.processes().then((all) => all.filter(({ command }) => command.includes('sigterm')));
    await writeFile(
      join(stage.folder, 'mcp_servers.yaml'),
      serversFile([
        { name: 'stubborn', server: 'ignores-sigterm', fields: { env: { MCPX_TEST: stage.mark, OTHER: 'way' } } },
      ]),
    );
    const reloading = control.reload().then(
      () => 'done',
      ({ code }) => code,
    );
    // It takes its time to end, and the next one waits for that.
    await until(async () => (await control.status()).servers[0]?.state !== 'running');
    expect((await stage.processes()).map(({ pid }) => pid)).toContain(first?.pid);
    sendSignal(parent, 'SIGTERM');
    await until(async () => (await readFile(stage.place.paths.logFile, 'utf8')).includes('leaving'));
    if (times > 1) sendSignal(parent, 'SIGTERM');
    expect(['done', 'daemon-lost']).toContain(await reloading);
    await isGone(parent);
    await nothingIsLeft(stage);
    expect(await readdir(stage.place.paths.directory)).toEqual([]);
  });

  test('TERM lets a call in progress finish, a second TERM cancels it', async () => {
    await using stage = await daemonStage([{ name: 'slow', server: 'slow' }]);
    await using control = await ensureDaemon({}, stage.io);
    await control.start();
    const { parent, worker } = await running(stage);
    const call = control.call({ tool: 'mcp__slow__wait', args: { ms: 60_000 } });
    const lost = expect(call).rejects.toMatchObject({ code: 'outcome-unknown' });
    await until(async () => (await control.status()).servers[0]?.callsInFlight === 1);
    sendSignal(parent, 'SIGTERM');
    await until(async () => (await readFile(stage.place.paths.logFile, 'utf8')).includes('leaving'));
    expect(isAlive(worker)).toBe(true);
    sendSignal(parent, 'SIGTERM');
    await lost;
    await isGone(parent);
    await nothingIsLeft(stage);
  });

  test('HUP reloads the config: unchanged servers keep running, new ones appear', async () => {
    await using stage = await daemonStage();
    await using control = await ensureDaemon({}, stage.io);
    await control.start();
    const pid = (await control.status()).servers[0]?.pid;
    const file = join(stage.folder, 'mcp_servers.yaml');
    const config = JSON.parse(await readFile(file, 'utf8'));
    config.mcp_servers.second = { ...config.mcp_servers.echo, tags: ['new'] };
    await writeFile(file, JSON.stringify(config));
    sendSignal((await running(stage)).parent, 'SIGHUP');
    const rows = await until(async () => {
      const { servers } = await control.status();
      return servers.length === 2 && servers;
    });
    expect(rows).toMatchObject([
      { name: 'echo', pid },
      { name: 'second', autoStart: true },
    ]);
  });

  test('a reload with an invalid config is refused and changes nothing', async () => {
    await using stage = await daemonStage();
    await using control = await ensureDaemon({}, stage.io);
    await control.start();
    await writeFile(join(stage.folder, 'mcp_servers.yaml'), 'mcp_servers: {echo: {command: 7}}\n');
    await expect(control.reload()).rejects.toMatchObject({ code: 'invalid-config', exitCode: 3 });
    expect((await control.status()).servers).toMatchObject([{ name: 'echo', state: 'running' }]);
    await writeFile(join(stage.folder, 'mcp_servers.yaml'), serversFile([]));
    expect(await control.reload()).toMatchObject({ removed: ['echo'] });
    expect((await control.status()).servers).toEqual([]);
  });
});

describe('a daemon that is killed in the middle of', () => {
  test.each([
    [
      'a start',
      (stage: DaemonStage) => ensureDaemon({}, stage.io).then((control) => control.start({ servers: ['mute'] })),
    ],
    [
      'a discovery',
      (stage: DaemonStage) => ensureDaemon({}, stage.io).then((control) => control.discover({ server: 'mute' })),
    ],
    [
      'reading logs',
      async (stage: DaemonStage) => {
        const control = await ensureDaemon({}, stage.io);
        void control.start({ servers: ['mute'] }).catch(() => undefined);
        for await (const _line of control.logs({ server: 'mute', follow: true }));
      },
    ],
  ])('%s ends the command', async (_what, ask) => {
    await using stage = await daemonStage([{ name: 'mute', server: 'never-initializes' }], {
      settings: { startup_timeout_seconds: 60 },
    });
    const asked = ask(stage);
    const ended = expect(asked).rejects.toMatchObject({
      // A stream that was about to open its connection finds no listener.
      code: expect.stringMatching(/^daemon-(lost|unreachable)$/),
      retryable: true,
    });
    await until(async () => (await stage.processes()).some(({ command }) => command.includes('never-initializes')));
    const { parent, worker } = await running(stage);
    const killedAt = performance.now();
    kill(parent, worker);
    await ended;
    expect(performance.now() - killedAt).toBeLessThan(2_000);
    await nothingIsLeft(stage);
  });
});
