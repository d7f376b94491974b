import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks, startOAuthServer, startProtectedEcho } from '@x/test-servers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { exitCodes, type Io } from '../../src/command.js';
import type { DaemonControl } from '../../src/control/control.js';
import { endDaemon } from '../../src/daemon/end-daemon.js';
import { ensureDaemon } from '../../src/daemon/ensure-daemon.js';
import { findDaemon } from '../../src/daemon/find-daemon.js';
import { sendSignal } from '../../src/daemon/system-process.js';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { type InstalledCopy, installedCopy } from '../helpers/installed-copy.js';
import { callText, clientOn, serveOn } from '../helpers/served-client.js';
import { until } from '../helpers/until.js';

let copy: InstalledCopy;
beforeAll(async () => {
  copy = await installedCopy();
});
afterAll(() => copy[Symbol.asyncDispose]());
beforeEach(() => copy.restore());
afterEach(expectNoLeaks);

/** A daemon that the installed copy runs, and that has done nothing yet. */
async function daemonOfCopy(stage: DaemonStage): Promise<{ readonly io: Io; readonly control: DaemonControl }> {
  const io = { ...stage.io, daemonPrograms: copy.programs };
  const control = await ensureDaemon({}, io);
  await until(async () => (await logOf(stage)).includes('the whole program is loaded'));
  return { io, control };
}

const logOf = (stage: DaemonStage): Promise<string> => readFile(stage.place.paths.logFile, 'utf8');

test.each(['replace', 'remove'] as const)(
  'a daemon keeps working after an update (%s) of its files',
  async (change) => {
    const authorization = await startOAuthServer();
    const shut = await startProtectedEcho(authorization);
    await using _closing = {
      [Symbol.asyncDispose]: async () => {
        await shut.close();
        await authorization.close();
      },
    };
    await using stage = await daemonStage([{ name: 'echo', server: 'echo' }]);
    const { control } = await daemonOfCopy(stage);
    await using _control = control;
    await copy[change]();

    // Nothing was started before: all of this is done for the first time.
    expect(await control.start({ servers: ['echo'] })).toEqual([{ server: 'echo', status: 'done' }]);
    expect(JSON.stringify(await control.call({ tool: 'mcp__echo__echo', args: { text: 'still here' } }))).toContain(
      'still here',
    );
    const file = join(stage.folder, 'mcp_servers.yaml');
    const config = JSON.parse(await readFile(file, 'utf8'));
    config.mcp_servers.shut = { url: shut.url, auto_start: true };
    await writeFile(file, JSON.stringify(config));
    expect(await control.reload({ trust: true })).toMatchObject({ added: ['shut'], kept: ['echo'] });
    expect(await control.start({ servers: ['shut'] })).toMatchObject([
      { status: 'failed', error: { code: 'auth-required' } },
    ]);
    expect((await control.search({ request: { query: 'echo' } })).tools).not.toHaveLength(0);
    expect(await control.restart({ servers: ['echo'] })).toEqual([{ server: 'echo', status: 'done' }]);
    expect((await control.pins()).tools).toEqual(expect.anything());
    await writeFile(file, 'mcp_servers: 7\n');
    await expect(control.reload()).rejects.toMatchObject({ code: 'invalid-config' });
    expect(await logOf(stage)).not.toMatch(/another version|Cannot find/);
  },
);

test('the dashboard opens after an update', async () => {
  await using stage = await daemonStage([{ name: 'echo', server: 'echo' }]);
  const { control } = await daemonOfCopy(stage);
  await using _control = control;
  await copy.replace();
  const end = new AbortController();
  const link = await new Promise<string>((resolve, reject) => {
    control.dashboard({ onLink: ({ url }) => resolve(url), signal: end.signal }).catch(reject);
  });
  expect((await fetch(link, { redirect: 'manual' })).status).toBeLessThan(400);
  end.abort();
});

test('a daemon whose only command was over at once has loaded the whole program long before the longest wait', async () => {
  await using stage = await daemonStage([{ name: 'echo', server: 'echo' }]);
  const control = await ensureDaemon({}, { ...stage.io, daemonPrograms: copy.programs });
  await control[Symbol.asyncDispose]();
  const timeOf = async (event: string): Promise<number | undefined> => {
    const line = (await logOf(stage)).split('\n').find((each) => each.includes(event));
    return line === undefined ? undefined : Date.parse(line.slice(0, line.indexOf(' ')));
  };
  const loadedAt = await until(() => timeOf('the whole program is loaded'));
  expect(loadedAt - ((await timeOf('ready, process')) ?? 0)).toBeLessThan(15_000); // after 2 s, and not after 20 s
});

test('what a daemon has not loaded before its files are removed fails with what to do', async () => {
  await using stage = await daemonStage([{ name: 'echo', server: 'echo' }]);
  const { control } = await daemonOfCopy(stage);
  await using _control = control;
  await copy.remove();
  const membership = { servers: ['nats://127.0.0.1:9'], fleet: 'default', node: 'a', login: { kind: 'none' } } as const;
  await expect(control.joinFleet({ membership, wait: false })).rejects.toMatchObject({
    message: expect.stringMatching(/is missing, for example after an update: Cannot find /),
    hint: expect.stringContaining('mcpx down'),
  });
});

test('a worker that crashes after an update is replaced by one of the new version', async () => {
  await using stage = await daemonStage([{ name: 'echo', server: 'echo' }]);
  const { io, control } = await daemonOfCopy(stage);
  await control.start({ servers: ['echo'] });
  await control[Symbol.asyncDispose]();
  await copy.remove();
  await copy.restore();
  const { phase } = await stage.state();
  if (phase.name !== 'ready') throw new Error('it is not ready');
  sendSignal(phase.worker, 'SIGKILL');
  await until(async () => {
    await using next = await findDaemon({}, io);
    return (await next?.status())?.servers[0]?.state === 'running';
  });
});

test('a daemon whose program is replaced before all of it is loaded continues as the new one', async () => {
  await using stage = await daemonStage([{ name: 'echo', server: 'echo' }]);
  const io = { ...stage.io, daemonPrograms: copy.programs };
  const control = await ensureDaemon({}, io);
  await using attached = await clientOn(stage);
  await copy.remove();
  await until(async () => /the worker ended: exit code 70/.test(await logOf(stage)));
  await copy.restore();
  expect(await attached.command.ended).toBe(exitCodes.failed);
  expect(attached.command.stderr()).toContain('Start "mcpx serve" again');
  await control[Symbol.asyncDispose]();
  await until(async () => (await stage.state()).phase.name === 'ready');
  await using again = await clientOn(stage);
  expect(await callText(again.client, 'mcp__echo__echo', { text: 'x' })).toBe('x');
});

test('a worker that crashes without its program parks the daemon, which reports the reason and can be ended', async () => {
  await using stage = await daemonStage([{ name: 'echo', server: 'echo' }]);
  const { io, control } = await daemonOfCopy(stage);
  await control[Symbol.asyncDispose]();
  await copy.remove();
  const { phase, parent } = await stage.state();
  if (phase.name !== 'ready') throw new Error('it is not ready');
  sendSignal(phase.worker, 'SIGKILL');
  await until(async () => (await stage.state()).phase.name === 'parked');
  await expect(findDaemon({}, io)).rejects.toMatchObject({
    code: 'daemon-parked',
    message: expect.stringContaining('is missing, for example after an update'),
    hint: expect.stringContaining('mcpx down'),
  });
  expect(await endDaemon({}, io)).toBe(parent.pid);
});

test('a daemon of another version is used by a command that speaks the same protocol', async () => {
  await copy.rewrite('version: "0.0.0"', 'version: "9.9.9"');
  await using stage = await daemonStage([{ name: 'echo', server: 'echo' }]);
  const { control } = await daemonOfCopy(stage);
  await using _control = control;
  expect(await control.daemonInfo()).toMatchObject({ version: '9.9.9' });
  expect(await control.start({ servers: ['echo'] })).toEqual([{ server: 'echo', status: 'done' }]);
  await using attached = await clientOn(stage);
  expect(await callText(attached.client, 'mcp__echo__echo', { text: 'x' })).toBe('x');
});

test.each([
  ['an older', 1],
  ['a newer', 3],
])('%s daemon with another protocol is reported, and ended by "mcpx down"', async (_what, protocol) => {
  await copy.rewrite('protocolNumber = 2', `protocolNumber = ${protocol}`);
  await using stage = await daemonStage([{ name: 'echo', server: 'echo' }]);
  const io = { ...stage.io, daemonPrograms: copy.programs };
  const skew = { code: 'version-skew', hint: expect.stringContaining('mcpx down') };
  await expect(ensureDaemon({}, io)).rejects.toMatchObject(skew);
  await expect(findDaemon({}, io)).rejects.toMatchObject(skew);
  const refused = serveOn(stage);
  expect(await refused.ended).toBe(exitCodes.failed);
  expect(refused.stderr()).toMatch(/mcpx down.*--own-servers to serve without the daemon/s);
  expect(await endDaemon({}, io)).toEqual(expect.any(Number));
  expect(await findDaemon({}, io)).toBeUndefined();
});
