import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type OAuthServer, type ProtectedEcho, startOAuthServer, startProtectedEcho } from '@x/test-servers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { login } from '../../src/commands/login.js';
import { up } from '../../src/commands/up.js';
import { daemonStage } from '../helpers/daemon-stage.js';
import { type UserWorld, userWorld } from '../helpers/user-world.js';

let authorization: OAuthServer;
let echo: ProtectedEcho;

beforeEach(async () => {
  authorization = await startOAuthServer();
  echo = await startProtectedEcho(authorization);
});

afterEach(async () => {
  await echo.close();
  await authorization.close();
});

function world(): Promise<UserWorld> {
  return userWorld({
    'project/mcp_servers.yaml': `mcp_servers: { web: { url: "${echo.url}" }, git: { command: git } }\n`,
  });
}

/** A person with a browser who agrees to everything. */
const openPage = async (url: URL): Promise<boolean> => {
  await (await fetch(url)).text();
  return true;
};

test('a sign-in applies to every other command until logout', async () => {
  await using user = await world();
  const before = await user.run(['capabilities', 'web']);
  expect(before.exitCode).toBe(exitCodes.failed);
  expect(before.stderr).toContain('Run "mcpx login web" to sign in.');

  const signedIn = await user.run(['login', 'web'], { openPage });
  expect(signedIn).toMatchObject({
    exitCode: exitCodes.ok,
    stdout: '✓ Signed in to web, which offers 2 tools\n',
  });
  expect(signedIn.stderr).toMatch(
    /^The sign-in page has been opened\. If you do not see it, open:\n\n {2}http:\/\/127\.0\.0\.1:\d+\/authorize\?/,
  );
  expect((await stat(join(user.state, 'sign-ins.json'))).mode & 0o777).toBe(0o600);
  const kept = await user.read('state/sign-ins.json');
  for (const secret of authorization.secrets) expect(kept).not.toContain(secret);
  expect((await user.run(['capabilities', 'web'])).exitCode).toBe(exitCodes.ok);

  expect(JSON.parse((await user.run(['logout', 'web', '--json'])).stdout)).toEqual({
    server: 'web',
    wasSignedIn: true,
  });
  expect(await user.run(['logout', 'web'])).toMatchObject({ stdout: 'You were not signed in to web.\n' });
  expect(await readFile(join(user.state, 'sign-ins.json'), 'utf8')).toBe('{}\n');
  expect((await user.run(['capabilities', 'web'])).exitCode).toBe(exitCodes.failed);
  for (const secret of authorization.secrets) expect(user.told()).not.toContain(secret);
});

test('without a key store the sign-in fails until a plain file is chosen', async () => {
  await using user = await world();
  const keyStore = undefined;
  const refused = await user.run(['login', 'web'], { keyStore, openPage: () => Promise.reject(new Error('opened')) });
  expect(refused).toMatchObject({ exitCode: exitCodes.failed, stderr: expect.stringContaining('MCPX_SIGN_INS=file') });
  expect(refused.stderr).not.toMatch(/\/authorize\?|client manager|mcpx login/);
  const env = { MCPX_SIGN_INS: 'file' };
  expect(await user.run(['login', 'web'], { keyStore, openPage, env })).toMatchObject({ exitCode: exitCodes.ok });
  expect(await user.run(['capabilities', 'web'], { keyStore })).toMatchObject({ exitCode: exitCodes.ok });
});

test('a locked key store does not require another sign-in', async () => {
  await using user = await world();
  await user.run(['login', 'web'], { openPage });
  const keyStore = () => Promise.reject(new Error('it is locked'));
  const locked = await user.run(['capabilities', 'web'], { keyStore });
  expect(locked).toMatchObject({ exitCode: exitCodes.startFailed, stderr: expect.stringContaining('it is locked') });
  expect(locked.stderr).not.toContain('mcpx login');
  expect(await user.run(['capabilities', 'web'])).toMatchObject({ exitCode: exitCodes.ok });
});

test('without a browser the address is printed with the redirect port', async () => {
  await using user = await world();
  let found: (address: string) => void = () => undefined;
  const address = new Promise<string>((resolve) => {
    found = resolve;
  });
  const stderr = {
    text: '',
    write: (text: string) => {
      stderr.text += text;
      const [, shown] = /^ {2}(http\S+)$/m.exec(stderr.text) ?? [];
      if (shown !== undefined && stderr.text.includes('Waiting for the sign-in')) found(shown);
    },
  };
  const done = user.run(['login', 'web', '--no-browser', '--json'], { openPage: () => Promise.reject(), stderr });
  await openPage(new URL(await address));
  const { exitCode, stdout } = await done;
  expect(exitCode).toBe(exitCodes.ok);
  expect(JSON.parse(stdout)).toEqual({
    server: 'web',
    signedIn: true,
    tools: 2,
    file: join(user.state, 'sign-ins.json'),
  });
  expect(stderr.text).toMatch(/^Sign in on this page:\n/);
  expect(stderr.text).toMatch(/ssh -L (\d+):127\.0\.0\.1:\1 …/);
});

test('reports a refused sign-in, a local server and an unknown server', async () => {
  await using user = await world();
  authorization.denies = true;
  const refused = await user.run(['login', 'web'], { openPage });
  expect(refused.exitCode).toBe(exitCodes.failed);
  expect(refused.stderr).toContain('error: Server "web": the sign-in was refused.');
  const local = await user.run(['login', 'git'], { openPage });
  expect(local).toMatchObject({ exitCode: exitCodes.failed, stderr: expect.stringContaining('not reached by URL') });
  expect((await user.run(['logout', 'git'])).stderr).toContain('because it has no URL');
  const unknown = await user.run(['login', 'wbe'], { openPage });
  expect(unknown).toMatchObject({
    exitCode: exitCodes.notFound,
    stderr: expect.stringContaining('Did you mean "web"?'),
  });
  expect((await user.run(['logout', 'wbe'])).exitCode).toBe(exitCodes.notFound);
});

test('a daemon that waits for the sign-in connects as soon as it is stored', async () => {
  await using stage = await daemonStage([{ name: 'web', server: 'echo' }]);
  await using user = await world();
  // The daemon is a process of its own, with the system's key store: that is not to be written to.
  const env = { ...stage.io.env, MCPX_SIGN_INS: 'file' };
  const io = { ...stage.io, env, cwd: user.project, openPage };
  const state = async (): Promise<string | undefined> => {
    await using control = await (await import('../../src/daemon/find-daemon.js')).findDaemon({}, io);
    return (await control?.status())?.servers.find(({ name }) => name === 'web')?.state;
  };
  try {
    await stage.run(() => up({ servers: ['web'] }, io));
    expect(await state()).not.toBe('running');
    expect(await stage.run(() => login({ server: 'web', timeout: 20 }, io))).toMatchObject({ exitCode: exitCodes.ok });
    expect(await state()).toBe('running');
  } finally {
    await (await import('../../src/daemon/end-daemon.js')).endDaemon({ now: true }, io);
  }
});
