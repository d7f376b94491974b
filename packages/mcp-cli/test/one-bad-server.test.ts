// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the config uses such strings
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expectNoLeaks, withOwner } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../src/command.js';
import type { ServerRow } from '../src/control/reports.js';
import { run } from '../src/run.js';
import { mcpxProgram } from './helpers/daemon-programs.js';
import { type DaemonStage, daemonStage } from './helpers/daemon-stage.js';
import { project, serversFile } from './helpers/project.js';
import { serveOn } from './helpers/served-client.js';

afterEach(expectNoLeaks);

const works = Array.from({ length: 10 }, (_, index) => ({ name: `works${index}`, server: 'echo' as const }));
const needsToken = { name: 'token', server: 'echo' as const, fields: { env: { TOKEN: '${NO_SUCH_TOKEN}' } } };
const needsProgram = { name: 'gone', server: 'echo' as const, fields: { command: 'no-such-program-here', args: [] } };

const mcpx = (stage: DaemonStage, ...words: readonly string[]) => stage.run((io) => run(words, io));

test('of 12 servers with two broken ones, 10 work, and every command says what the others need', async () => {
  await using stage = await daemonStage([...works, needsToken, needsProgram]);
  const up = await mcpx(stage, 'up');
  expect(up.exitCode).toBe(exitCodes.startFailed);
  expect(up.stdout.match(/is up/g)).toHaveLength(10);
  expect(up.stderr).toContain('✗ token is not set up: it needs a value for NO_SUCH_TOKEN.');

  const status = await mcpx(stage, 'status', '--json');
  expect(status.exitCode).toBe(exitCodes.ok);
  const { servers, totalRunning } = JSON.parse(status.stdout);
  expect(totalRunning).toBe(10);
  expect(servers.slice(-2)).toMatchObject([
    { name: 'token', state: 'failed', needs: [{ kind: 'variable', name: 'NO_SUCH_TOKEN' }], restarts: 0 },
    { name: 'gone', state: 'failed', needs: [{ kind: 'program', name: 'no-such-program-here' }] },
  ]);
  const table = await mcpx(stage, 'status');
  expect(table.stdout).toMatch(/^token +! not set up .*needs NO_SUCH_TOKEN$/m);
  expect(table.stdout).toMatch(/^gone +! not set up /m);
  expect(table.stderr).toMatch(/^Not set up: token needs NO_SUCH_TOKEN\. Set it in /m);

  expect(await mcpx(stage, 'call', 'works9.echo', 'text=hello')).toMatchObject({ exitCode: exitCodes.ok });
  const call = await mcpx(stage, 'call', 'token.echo', 'text=hello', '--json');
  expect(call.exitCode).toBe(exitCodes.startFailed);
  expect(JSON.parse(call.stdout)).toMatchObject({ error: { code: 'not-set-up' } });

  // Node warns of the eleventh listener on one signal.
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  for (const list of ['resources', 'prompts']) {
    expect(await mcpx(stage, list, '--json')).toMatchObject({ exitCode: exitCodes.ok });
  }
  await new Promise(setImmediate);
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);

  const validate = await mcpx(stage, 'validate');
  expect(validate.exitCode).toBe(exitCodes.config);
  expect(validate.stderr + validate.stdout).toContain('The variable NO_SUCH_TOKEN is not set');
});

test('an unknown tool is answered from what is known, and starts no server', async () => {
  await using stage = await daemonStage([{ name: 'works', server: 'echo' }, needsToken, needsProgram]);
  await mcpx(stage, 'up');
  const restartsOf = async () =>
    JSON.parse((await mcpx(stage, 'status', '--json')).stdout).servers.map((row: ServerRow) => [
      row.state,
      row.restarts,
    ]);
  const before = await restartsOf();
  for (const [tool, nearest] of [
    ['work.echo', 'Did you mean'],
    ['nosuch.thing', 'Run "mcpx search"'],
    ['mcp__nosuch__thing', 'Run "mcpx search"'],
    ['echo', 'Did you mean "mcp__works__echo"?'],
    ['ech', 'Did you mean "mcp__works__echo"?'],
    ['qqqqqqqq', 'Run "mcpx search"'],
  ] as const) {
    for (const words of [
      ['call', tool, 'text=a'],
      ['describe', tool],
    ]) {
      const { exitCode, stderr } = await mcpx(stage, ...words);
      expect(stderr).toContain(`There is no tool named "${tool}".`);
      expect(stderr).toContain(nearest);
      expect(stderr).not.toContain('no-such-program-here');
      expect(exitCode).toBe(exitCodes.notFound);
    }
  }
  expect(await restartsOf()).toEqual(before);
});

test('a name of a tool asks servers that have not been started, and says which of them could not be asked', async () => {
  await using stage = await daemonStage([needsProgram]);
  const { exitCode, stderr } = await mcpx(stage, 'describe', 'thing');
  expect(exitCode).toBe(exitCodes.notFound);
  expect(stderr).toContain('These servers did not start and were not asked: gone.');
});

test('a home that cannot be written is a plain warning, and a call works', async () => {
  await using here = await project({
    'mcp_servers.yaml': serversFile([{ name: 'echo', server: 'echo' }]),
    'data/mcpx/catalogs': '',
  });
  const place = join(here.folder, 'data'); // a file is where a directory would be made
  const env = {
    PATH: process.env.PATH,
    MCPX_TRUST: '1',
    HOME: here.folder,
    XDG_DATA_HOME: place,
    XDG_RUNTIME_DIR: place,
  };
  const words = [mcpxProgram(), 'call', 'echo.echo', 'text=hello'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, {
    cwd: here.folder,
    env: withOwner(env),
  });
  expect(stdout).toContain('hello');
  expect(stderr).toContain('warning: Tool lists cannot be stored in ');
  expect(stderr).not.toContain('(node:');
});

test('a reload takes in the value, and other servers keep their processes', async () => {
  await using stage = await daemonStage([{ name: 'works', server: 'echo' }, needsToken]);
  await mcpx(stage, 'up');
  const pidOf = async () => JSON.parse((await mcpx(stage, 'status', 'works', '--json')).stdout).servers[0].pid;
  const pid = await pidOf();
  await writeFile(join(stage.folder, '.env'), 'NO_SUCH_TOKEN=of-the-env-file\n');
  await mcpx(stage, 'daemon', 'reload');
  expect(await mcpx(stage, 'call', 'token.echo', 'text=hello')).toMatchObject({ exitCode: exitCodes.ok });
  expect(await pidOf()).toBe(pid);
});

const counted = [
  { name: 'works', server: 'echo' },
  needsToken,
  needsProgram,
  { name: 'manual', server: 'echo', fields: { auto_start: false } },
  { name: 'off', server: 'echo', fields: { disabled: true } },
] as const;

test.each([
  ['with servers of its own', ['--own-servers']],
  ['by a daemon', []],
])('mcpx serve %s counts the servers that are up or on their way', async (_, words) => {
  await using stage = await daemonStage(counted);
  await using command = serveOn(stage, ['--http', '--port', '0', '--no-token', ...words]);
  const [, count] = await command.seen(/Serving (\d+ servers?) at/);
  expect(count).toBe('1 server');
});
