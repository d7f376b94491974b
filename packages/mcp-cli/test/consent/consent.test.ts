import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { sendSignal } from '../../src/daemon/system-process.js';
import { daemonPrograms } from '../helpers/daemon-programs.js';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { inTerminal } from '../helpers/pseudo-terminal.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { ioIn } from '../helpers/serving.js';
import { onStage } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';
import { type UserWorld, userWorld } from '../helpers/user-world.js';

afterEach(expectNoLeaks);

const { command, args } = testServer('echo');
const entry = { command, args, auto_start: true, env: { MODE: 'one' } };
const config = (fields: object = {}): string => JSON.stringify({ mcp_servers: { echo: { ...entry, ...fields } } });
const nobody = { env: { MCPX_TRUST: undefined } };

/** A user in a project that they have not agreed to. */
const cloned = (fields?: object): Promise<UserWorld> => userWorld({ 'project/mcp_servers.yaml': config(fields) });
const call = ['call', 'echo.echo', 'text=hello'];

describe('without a terminal', () => {
  test('a server of a project does not start: exit code 3 and a hint', async () => {
    await using user = await cloned();
    const { exitCode, stdout, stderr } = await user.run(call, nobody);
    expect(exitCode).toBe(exitCodes.config);
    expect(stdout).toBe('');
    expect(stderr).toContain('Server "echo" was not started: you have not given consent to what it runs.');
    expect(stderr).toContain('Run "mcpx trust"');
    expect(stderr).toContain('MCPX_TRUST=1');
  });

  test('mcpx trust shows what would run and gives no consent', async () => {
    await using user = await cloned();
    const { exitCode, stderr } = await user.run(['trust'], nobody);
    expect(exitCode).toBe(exitCodes.config);
    expect(stderr).toContain(`runs     ${command} ${args.join(' ')}`);
    expect(stderr).toContain('env      MODE=one');
    expect((await user.run(call, nobody)).exitCode).toBe(exitCodes.config);
  });

  test('mcpx trust --yes gives consent for this and every later command', async () => {
    await using user = await cloned();
    expect(await user.run(['trust', '--yes'], nobody)).toMatchObject({ exitCode: 0, stdout: '✓ echo may start\n' });
    expect(await user.run(call, nobody)).toMatchObject({ exitCode: 0 });
    expect(await user.run(['trust', '--yes'], nobody)).toMatchObject({
      stdout: expect.stringContaining('No consent is needed'),
    });
  });

  test('--trust on a command gives, prints and stores consent', async () => {
    await using user = await cloned();
    const { exitCode, stderr } = await user.run([...call, '--trust'], nobody);
    expect(exitCode).toBe(exitCodes.ok);
    expect(stderr).toContain(`runs     ${command} ${args.join(' ')}`);
    expect(await user.run(call, nobody)).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('--trust') });
  });

  test.each([
    ['1', exitCodes.ok],
    ['0', exitCodes.config],
    ['true', exitCodes.config],
    ['', exitCodes.config],
  ])('MCPX_TRUST=%s', async (MCPX_TRUST, exitCode) => {
    await using user = await cloned();
    expect((await user.run(call, { env: { MCPX_TRUST } })).exitCode).toBe(exitCode);
    expect(JSON.parse((await user.run(['trust', 'list', '--json'])).stdout)).toEqual({ consents: [] });
  });

  test('a user without a state directory gets a hint where consent could be stored', async () => {
    await using user = await cloned();
    const outcome = await user.run(['trust', '--yes'], { ...nobody, stateDirectory: undefined });
    expect(outcome).toMatchObject({ exitCode: exitCodes.usage, stderr: expect.stringContaining('Set HOME') });
  });
});

describe('consent is for exactly what was shown', () => {
  test.each([
    ['a command', { command: '/bin/echo' }],
    ['an argument more', { args: [...args, '--more'] }],
    ['an argument fewer', { args: [] }],
    ['a variable', { env: { MODE: 'two' } }],
    ['a variable more', { env: { MODE: 'one', NODE_OPTIONS: '--require ./x.cjs' } }],
    ['a reference', { env: { MODE: { secret_ref: 'command:sh -c id' } } }],
    ['a directory', { cwd: 'elsewhere' }],
  ])('another value of %s asks again', async (_, fields) => {
    await using user = await cloned();
    await user.run(['trust', '--yes'], nobody);
    await user.write('project/mcp_servers.yaml', config(fields));
    expect((await user.run(call, nobody)).exitCode).toBe(exitCodes.config);
    await user.write('project/mcp_servers.yaml', config());
    expect((await user.run(call, nobody)).exitCode).toBe(exitCodes.ok);
  });

  test('fields that run nothing may change', async () => {
    await using user = await cloned();
    await user.run(['trust', '--yes'], nobody);
    await user.write(
      'project/mcp_servers.yaml',
      `# a comment\n${config({ priority: 5, tags: ['x'], denied_tools: [] })}`,
    );
    expect((await user.run(call, nobody)).exitCode).toBe(exitCodes.ok);
  });

  test('the value of a variable may change and is not stored', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of ours
    await using user = await cloned({ env: { TOKEN: '${TOKEN}', MODE: 'one' } });
    await user.run(['trust', '--yes'], { env: { ...nobody.env, TOKEN: 'sentinel-of-yesterday' } });
    const today = { env: { ...nobody.env, TOKEN: 'sentinel-of-today' } };
    expect((await user.run(call, today)).exitCode).toBe(exitCodes.ok);
    const [file = ''] = await readdir(join(user.state, 'consent'));
    expect(await readFile(join(user.state, 'consent', file), 'utf8')).not.toContain('sentinel');
    expect(user.told()).not.toContain('sentinel');
  });

  test('a variable of the environment over a value of .env needs a consent of its own, once', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of ours
    await using user = await cloned({ env: { TOKEN: '${TOKEN}' } });
    await user.write('project/.env', 'TOKEN=of-the-project\n');
    const own = { env: { ...nobody.env, TOKEN: 'of-the-user' } };
    const mayCall = async (options: typeof nobody) => (await user.run(call, options)).exitCode === exitCodes.ok;
    await user.run(['trust', '--yes'], nobody);
    expect([await mayCall(nobody), await mayCall(own)]).toEqual([true, false]);
    await user.run(['trust', '--yes'], own);
    expect([await mayCall(own), await mayCall(nobody)]).toEqual([true, true]);
  });

  test('another project with the same lines needs its own consent', async () => {
    await using user = await cloned();
    await user.run(['trust', '--yes'], nobody);
    await cp(user.project, `${user.project}-2`, { recursive: true });
    expect((await user.run(call, { ...nobody, cwd: `${user.project}-2` })).exitCode).toBe(exitCodes.config);
  });

  test('a file named with --config needs consent, too', async () => {
    await using user = await cloned();
    const named = [...call, '--config', 'mcp_servers.yaml'];
    expect((await user.run(named, nobody)).exitCode).toBe(exitCodes.config);
    await user.run(['trust', '--yes'], nobody);
    expect((await user.run(named, nobody)).exitCode).toBe(exitCodes.ok);
  });

  test('an address needs consent, with and without secrets', async () => {
    const url = 'http://127.0.0.1:9/mcp';
    const waits = async (web: object): Promise<boolean> => {
      await using user = await userWorld({ 'project/mcp_servers.yaml': JSON.stringify({ mcp_servers: { web } }) });
      const { stdout } = await user.run(['status', '--json'], { env: { ...nobody.env, KEY: 'x' } });
      return JSON.parse(stdout).servers[0].waitsForConsent === true;
    };
    expect(await waits({ url })).toBe(true);
    expect(await waits({ url, headers: { 'x-plain': '1' } })).toBe(true);
    expect(await waits({ url: `${url}?key=\${KEY}` })).toBe(true);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of ours
    expect(await waits({ url, headers: { 'x-key': '${KEY}' } })).toBe(true);
    expect(await waits({ url, headers: { 'x-key': { secret_ref: 'file:~/.netrc' } } })).toBe(true);
  });

  test('the files are private', async () => {
    await using user = await cloned();
    await user.run(['trust', '--yes'], nobody);
    const folder = join(user.state, 'consent');
    const [file = ''] = await readdir(folder);
    expect([(await stat(folder)).mode & 0o777, (await stat(join(folder, file))).mode & 0o777]).toEqual([0o700, 0o600]);
  });
});

test('consents are listed and removed by directory', async () => {
  await using user = await cloned();
  await user.run(['trust', '--yes'], nobody);
  const { stdout } = await user.run(['trust', 'list'], nobody);
  expect(stdout).toContain(user.project);
  expect(stdout).toContain(`runs     ${command} ${args.join(' ')}`);
  expect((await user.run(['trust', 'remove'], nobody)).stdout).toContain('Consent withdrawn: echo.');
  expect((await user.run(call, nobody)).exitCode).toBe(exitCodes.config);
  expect((await user.run(['trust', 'remove'], nobody)).stdout).toContain('There are no consents');
  expect((await user.run(['trust', 'list'], nobody)).stdout).toBe('There are no consents.\n');
});

test('what mcpx init writes has consent', async () => {
  await using user = await userWorld({
    'home/.cursor/mcp.json': JSON.stringify({
      mcpServers: { echo: { command, args, env: { API_TOKEN: 'sentinel-9137' } } },
    }),
  });
  expect(await user.run(['init', '--yes', '--from', 'cursor'], nobody)).toMatchObject({ exitCode: 0 });
  const env = { ...nobody.env, API_TOKEN: 'sentinel-9137' };
  expect(await user.run(call, { env })).toMatchObject({ exitCode: 0 });
  const file = join(user.project, 'mcp_servers.yaml');
  await writeFile(file, (await readFile(file, 'utf8')).replace('echo.js', 'other.js'));
  expect((await user.run(call, { env })).exitCode).toBe(exitCodes.config);
});

test('status shows which servers wait for consent or replace one of the user', async () => {
  await using user = await cloned();
  const { stdout, stderr } = await user.run(['status'], nobody);
  expect(stdout).toMatch(/echo +\? untrusted/);
  expect(stderr).toContain('These servers need your consent: echo. Run "mcpx trust" to see what they run.');
});

test('serve reports which servers it skips, and fails when none remains', async () => {
  await using user = await cloned();
  const alone = await user.run(['serve', '--own-servers'], nobody);
  expect(alone).toMatchObject({ exitCode: exitCodes.config, stdout: '' });
  expect(alone.stderr).toContain('These servers need your consent: echo.');
  const web = { url: 'http://127.0.0.1:9/mcp', auto_start: true };
  await user.write('project/mcp_servers.yaml', JSON.stringify({ mcp_servers: { web } }));
  await user.run(['trust', '--yes'], nobody);
  await user.write('project/mcp_servers.yaml', JSON.stringify({ mcp_servers: { echo: entry, web } }));
  const both = await user.run(['serve', '--own-servers'], nobody);
  expect(both.exitCode).toBe(exitCodes.ok);
  expect(both.stderr).toContain('warning: These servers need your consent: echo. They are not served.');
});

describe('a daemon', () => {
  const stageOf = () => daemonStage([{ name: 'echo', server: 'echo' }], { env: { MCPX_TRUST: '' } });

  test('starts a server only after consent', async () => {
    await using stage = await stageOf();
    const up = await onStage(stage, ['up']);
    expect(up).toMatchObject({ exitCode: exitCodes.config, stderr: expect.stringContaining('Run "mcpx trust"') });
    expect((await onStage(stage, call)).exitCode).toBe(exitCodes.config);
    expect((await onStage(stage, ['trust', '--yes'])).exitCode).toBe(exitCodes.ok);
    expect((await onStage(stage, call)).exitCode).toBe(exitCodes.ok);
  });

  test('does not run a changed line after a reload before consent', async () => {
    await using stage = await stageOf();
    expect((await onStage(stage, ['up', '--trust'])).exitCode).toBe(exitCodes.ok);
    const file = join(stage.folder, 'mcp_servers.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('echo.js"', 'echo.js","--changed"'));
    await onStage(stage, ['daemon', 'reload']);
    const waiting = await onStage(stage, ['status']);
    expect(waiting.stdout).toMatch(/echo +\? untrusted/);
    expect((await onStage(stage, call)).exitCode).toBe(exitCodes.config);
    expect(
      await stage.processes().then((all) => all.filter(({ command: line }) => line.includes('--changed'))),
    ).toEqual([]);
    expect((await onStage(stage, ['restart', 'echo', '--trust'])).exitCode).toBe(exitCodes.ok);
    expect((await onStage(stage, call)).exitCode).toBe(exitCodes.ok);
  });
});

describe('a daemon that a command with MCPX_TRUST=1 started', () => {
  const stageOf = () =>
    daemonStage(
      ['echo', 'other'].map((name) => ({ name, server: 'echo' })),
      { env: { MCPX_TRUST: '' } },
    );
  const change = async ({ folder }: DaemonStage) => {
    const file = join(folder, 'mcp_servers.yaml');
    const { mcp_servers, ...rest } = JSON.parse(await readFile(file, 'utf8'));
    mcp_servers.echo.args.push('--changed');
    await writeFile(file, JSON.stringify({ mcp_servers, ...rest }));
  };
  const trusting = ({ io }: DaemonStage) => ({ env: { ...io.env, MCPX_TRUST: '1' } });
  const callOther = ['call', 'other.echo', 'text=hello'];

  test('trusts the current lines and stores nothing', async () => {
    await using stage = await stageOf();
    expect((await onStage(stage, ['up'], trusting(stage))).exitCode).toBe(exitCodes.ok);
    expect((await onStage(stage, call)).exitCode).toBe(exitCodes.ok);
    await change(stage);
    await onStage(stage, ['daemon', 'reload']);
    expect((await onStage(stage, call)).exitCode).toBe(exitCodes.config);
    expect((await onStage(stage, callOther)).exitCode).toBe(exitCodes.ok);
    expect((await onStage(stage, ['trust', 'list'])).stdout).toBe('There are no consents.\n');
    expect((await onStage(stage, call, trusting(stage))).exitCode).toBe(exitCodes.ok);
  });

  test('trusts changed lines with a reload of such a command', async () => {
    await using stage = await stageOf();
    await onStage(stage, ['up'], trusting(stage));
    await change(stage);
    await onStage(stage, ['daemon', 'reload'], trusting(stage));
    expect((await onStage(stage, call)).exitCode).toBe(exitCodes.ok);
  });

  test('keeps that consent when a worker crashes', async () => {
    await using stage = await stageOf();
    await onStage(stage, ['up'], trusting(stage));
    await change(stage);
    const { phase: before } = await stage.state();
    if (before.name !== 'ready') throw new Error(`the daemon is ${before.name}`);
    sendSignal(before.worker, 'SIGKILL');
    await until(async () => {
      const { phase } = await stage.state();
      return phase.name === 'ready' && phase.worker.pid !== before.worker.pid;
    });
    expect((await onStage(stage, callOther)).exitCode).toBe(exitCodes.ok);
    expect((await onStage(stage, call)).exitCode).toBe(exitCodes.config);
  });
});

describe.skipIf(process.platform !== 'linux')('on a terminal', () => {
  test('the first start shows what would run and asks; yes runs it, and it asks once', async () => {
    await using user = await cloned();
    {
      await using terminal = await inTerminal(user.project, call, { trust: '' });
      await terminal.seen('Do you give consent to run this?');
      expect(terminal.text()).toContain('wants to start a server on this machine, as you:');
      expect(terminal.text()).toContain('MODE=one');
      terminal.press('y');
      expect(await terminal.ended()).toMatchObject({ exitCode: 0 });
    }
    await using again = await inTerminal(user.project, call, { trust: '' });
    const { exitCode, text } = await again.ended();
    expect(exitCode).toBe(0);
    expect(text).not.toContain('consent');
  });

  test('no starts nothing', async () => {
    await using user = await cloned();
    await using terminal = await inTerminal(user.project, call, { trust: '' });
    await terminal.seen('Do you give consent to run this?');
    terminal.press('n');
    expect(await terminal.ended()).toMatchObject({ exitCode: exitCodes.config });
  });

  test('the first start by a daemon asks on the terminal of the command', async () => {
    await using user = await cloned({ auto_start: false });
    await using _daemon = await daemonInTerminal(user.project);
    for (const argv of [['discover', 'echo'], ['capabilities', 'echo'], call]) {
      await using terminal = await inTerminal(user.project, argv, { trust: '' });
      await terminal.seen('Do you give consent to run this?');
      terminal.press('n');
      expect(await terminal.ended()).toMatchObject({ exitCode: exitCodes.config });
    }
    {
      await using terminal = await inTerminal(user.project, call, { trust: '' });
      await terminal.seen('Do you give consent to run this?');
      terminal.press('y');
      expect(await terminal.ended()).toMatchObject({ exitCode: 0, text: expect.stringContaining('hello') });
    }
    await using again = await inTerminal(user.project, ['discover', 'echo', '--refresh'], { trust: '' });
    const { exitCode, text } = await again.ended();
    expect(exitCode).toBe(0);
    expect(text).not.toContain('consent');
  });
});

/** A daemon that has agreed to nothing, for commands in a terminal. */
async function daemonInTerminal(folder: string): Promise<AsyncDisposable> {
  const run = join(folder, 'run');
  await mkdir(run, { mode: 0o700 });
  const io = { ...ioIn(folder, { XDG_RUNTIME_DIR: run, MCPX_TRUST: '' }), daemonPrograms: daemonPrograms() };
  const done = async (argv: readonly string[]) => {
    expect(await runMcpx(argv, io)).toMatchObject({ exitCode: 0 });
  };
  await done(['up']);
  return { [Symbol.asyncDispose]: () => done(['down']) };
}
