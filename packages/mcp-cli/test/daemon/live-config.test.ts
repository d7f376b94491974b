import { readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import type { DaemonControl } from '../../src/control/control.js';
import { ensureDaemon } from '../../src/daemon/ensure-daemon.js';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { post } from '../helpers/http-client.js';
import { project, type ServerEntry, serversFile } from '../helpers/project.js';
import { replaceFile } from '../helpers/replace-file.js';
import { clientOn, serveOn } from '../helpers/served-client.js';
import { onStage, upOn } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';

afterEach(expectNoLeaks);

const echo = (name: string): ServerEntry => ({ name, server: 'echo', fields: { auto_start: true } });
const slow: ServerEntry = { name: 'slow', server: 'slow', fields: { auto_start: true } };

/** A stage that has consent to `all` servers and begins with `first`. */
async function stageWith(first: readonly ServerEntry[], all: readonly ServerEntry[]) {
  const stage = await daemonStage(all, { env: { MCPX_TRUST: '0' } });
  const file = join(stage.folder, 'mcp_servers.yaml');
  const textOf = (servers: readonly ServerEntry[]) =>
    serversFile(
      servers.map(({ fields, ...server }) => ({ ...server, fields: { ...fields, env: { MCPX_TEST: stage.mark } } })),
    );
  await writeFile(file, textOf(all));
  await onStage(stage, ['trust', '--yes']);
  await writeFile(file, textOf(first));
  return { stage, file, textOf, save: (...servers: ServerEntry[]) => replaceFile(file, textOf(servers)) };
}

const logOf = (stage: DaemonStage): Promise<string> => readFile(stage.place.paths.logFile, 'utf8');
const call = (stage: DaemonStage, server: string) => onStage(stage, ['call', `${server}.echo`, 'text=hello']);

/** Resolves with the row of a server when it has that state; `undefined` waits until the server is gone. */
async function stateOf(control: DaemonControl, name: string, state: string | undefined): Promise<void> {
  const rows = new Map<string, string>();
  const ended = new AbortController();
  for await (const { server, row } of control.events({ signal: ended.signal })) {
    if (row) rows.set(server, row.state);
    else rows.delete(server);
    if (rows.get(name) === state && (state !== undefined || server === name)) return;
  }
}

test('"mcpx up" makes a daemon read its config again, but not the one that it has just started', async () => {
  await using stage = await daemonStage([echo('one')]);
  await upOn(stage);
  expect(await logOf(stage)).not.toContain('the config was read again');
  await upOn(stage);
  expect(await logOf(stage)).toContain('the config was read again');
});

test('a server that is saved is started, and the next command sees it', async () => {
  const { stage, save } = await stageWith([echo('one')], [echo('one'), echo('two')]);
  await using _stage = stage;
  await upOn(stage);
  await save(echo('one'), echo('two'));
  expect(await call(stage, 'two')).toMatchObject({ exitCode: exitCodes.ok, stdout: expect.stringContaining('hello') });
  await using control = await ensureDaemon({}, stage.io);
  await stateOf(control, 'two', 'running');
  expect(await onStage(stage, ['up'])).toMatchObject({ stdout: expect.stringMatching(/^added {5}two\n/) });
  expect((await onStage(stage, ['up'])).stdout).not.toContain('added');
});

test('a removed server is stopped after its calls, and new servers do not wait for them', async () => {
  const { stage, save } = await stageWith([slow], [slow, echo('two')]);
  await using _stage = stage;
  await upOn(stage);
  await using control = await ensureDaemon({}, stage.io);
  let progress = 0;
  const calling = control.call({
    tool: 'mcp__slow__wait',
    args: { ms: 1, until: join(stage.folder, 'go-on') },
    onProgress: () => progress++,
  });
  await until(() => progress > 0);
  await save(echo('two'));
  expect(await call(stage, 'two')).toMatchObject({ exitCode: exitCodes.ok });
  await writeFile(join(stage.folder, 'go-on'), '');
  expect(JSON.stringify(await calling)).not.toContain('isError":true');
  await until(async () => (await control.status()).servers.every(({ name }) => name === 'two'));
  const { stdout } = await onStage(stage, ['up']);
  expect(stdout).toContain('added     two\nremoved   slow\n');
});

test('a broken edit changes nothing, and every command says so until it is mended', async () => {
  const { stage, file, textOf, save } = await stageWith([echo('one')], [echo('one'), echo('two')]);
  await using _stage = stage;
  await upOn(stage);
  await replaceFile(file, 'mcp_servers:\n  one:\n    comand: node\n');
  const line = /^warning: mcp_servers\.yaml:3:5 .*comand.*: the daemon runs the version of \d\d:\d\d\.$/gm;
  for (const words of [['call', 'one.echo', 'text=hello'], ['status'], ['daemon', 'status'], ['search', 'echo']]) {
    const { exitCode, stderr } = await onStage(stage, words);
    expect(exitCode, words.join(' ')).toBe(exitCodes.ok);
    expect(stderr.match(line), words.join(' ')).toHaveLength(1);
  }
  expect(JSON.parse((await onStage(stage, ['daemon', 'status', '--json'])).stdout)).toMatchObject({
    configProblem: expect.stringContaining('mcp_servers.yaml:3:5'),
  });
  expect((await onStage(stage, ['up'])).exitCode).toBe(exitCodes.config);
  await writeFile(file, textOf([echo('one'), echo('two')])); // in place
  const mended = await call(stage, 'two');
  expect(mended.exitCode).toBe(exitCodes.ok);
  expect(mended.stderr).not.toContain('warning');
  await save(echo('one'));
  expect((await call(stage, 'two')).exitCode).toBe(exitCodes.notFound);
});

test('a changed launch waits for consent', async () => {
  const { stage, save } = await stageWith([echo('one')], [echo('one')]);
  await using _stage = stage;
  await upOn(stage);
  await save({ ...echo('one'), args: ['--other'] });
  expect((await call(stage, 'one')).exitCode).toBe(exitCodes.config);
  await until(async () => (await logOf(stage)).includes('"one" waits for your consent: run "mcpx trust"'));
  expect((await onStage(stage, ['status'])).stdout).toContain('untrusted');
  expect((await onStage(stage, ['trust', '--yes'])).exitCode).toBe(exitCodes.ok);
  expect((await call(stage, 'one')).exitCode).toBe(exitCodes.ok);
});

test('an edit of .env is followed, and its new value waits for consent', async () => {
  const one = { ...echo('one'), args: [`\${LIVE_WORD}`] };
  const { stage } = await stageWith([one], [one]);
  await using _stage = stage;
  const setWord = (word: string) => replaceFile(join(stage.folder, '.env'), `LIVE_WORD=${word}\n`);
  const trust = () => onStage(stage, ['trust', '--yes']);
  await setWord('first');
  await trust();
  await upOn(stage);
  expect((await call(stage, 'one')).exitCode).toBe(exitCodes.ok);
  await setWord('second');
  expect((await call(stage, 'one')).exitCode).toBe(exitCodes.config);
  await trust();
  expect((await call(stage, 'one')).exitCode).toBe(exitCodes.ok);
});

test('a served client gets a server that is saved, and its command reports each edit', async () => {
  const { stage, file, save } = await stageWith([echo('one')], [echo('one'), echo('two')]);
  await using _stage = stage;
  await using served = await clientOn(stage);
  await using named = await clientOn(stage, ['one']);
  const reads = (text: RegExp) => until(() => text.test(served.command.stderr()));
  await save(echo('one'), echo('two'));
  await reads(/^Servers have changed: added two\.$/m);
  await until(async () => (await served.client.listTools()).tools.some(({ name }) => name === 'mcp__two__echo'));
  await replaceFile(file, 'mcp_servers:\n  one:\n    comand: node\n');
  await reads(/^warning: mcp_servers\.yaml:3:5 .*: this gateway runs the version of \d\d:\d\d\.$/m);
  expect(named.command.stderr()).not.toContain('two');
});

test('a served client is refused when its token leaves the tokens file', async () => {
  const { stage } = await stageWith([echo('one')], [echo('one')]);
  await using _stage = stage;
  const write = (name: string, content: object) =>
    replaceFile(join(stage.folder, name), JSON.stringify(content), 0o600);
  const [first, second] = ['token-of-the-first-one', 'token-of-the-second-one'];
  const tokens = (...listed: string[]) =>
    write('tokens.yaml', { tokens: listed.map((token) => ({ id: token.slice(-10), role: 'review', token })) });
  await write('tools.yaml', { tools: { app: { role_restrictions: { review: { allowed_tools: ['one'] } } } } });
  await tokens(first);
  const command = serveOn(stage, ['--http', '--port', '0', '--tokens-file', 'tokens.yaml']);
  let url = '';
  await until(() => {
    url = / at (http\S+)\n/.exec(command.stderr())?.[1] ?? '';
    return url !== '';
  });
  const statusOf = async (token: string) => (await post(url, { authorization: `Bearer ${token}` })).status;
  expect(await statusOf(second)).toBe(401);
  await tokens(second);
  await until(async () => (await statusOf(first)) === 401);
  expect(await statusOf(second)).not.toBe(401);
  command.interrupt();
  expect(await command.ended).toBe(exitCodes.ok);
});

test('twenty quick saves are few reloads', async () => {
  const { stage, save } = await stageWith([echo('one')], [echo('one'), echo('two')]);
  await using _stage = stage;
  await upOn(stage);
  for (let round = 1; round <= 20; round++)
    await save(echo('one'), { ...echo('two'), fields: { auto_start: true, tags: [`round-${round}`] } });
  expect((await call(stage, 'two')).exitCode).toBe(exitCodes.ok);
  const reloads = (await logOf(stage)).split('the config was read again').length - 1;
  expect(reloads).toBeGreaterThan(0);
  expect(reloads).toBeLessThan(5);
});

describe.skipIf(process.platform === 'win32')('a mounted directory', () => {
  test('of which all files change by one link is followed', async () => {
    await using elsewhere = await project({ 'v1/tools.yaml': 'tools: {}\n', 'v2/tools.yaml': 'tools: {}\n' });
    const { stage, file, textOf } = await stageWith([echo('one')], [echo('one'), echo('two')]);
    await using _stage = stage;
    for (const [version, servers] of Object.entries({ v1: [echo('one')], v2: [echo('one'), echo('two')] }))
      await writeFile(join(elsewhere.folder, version, 'mcp_servers.yaml'), textOf(servers));
    await symlink(join(elsewhere.folder, 'v1'), join(stage.folder, '..data'));
    await symlink('..data/mcp_servers.yaml', `${file}.link`);
    await rename(`${file}.link`, file);
    await upOn(stage);
    await symlink(join(elsewhere.folder, 'v2'), join(stage.folder, '..next'));
    await rename(join(stage.folder, '..next'), join(stage.folder, '..data'));
    expect((await call(stage, 'two')).exitCode).toBe(exitCodes.ok);
  });
});
