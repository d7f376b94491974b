import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { isManagerError } from '../../src/errors.js';
import { temporaryDirectory } from '../helpers/processes.js';
import { failureOf, managerOf, managerWith, serverSpec, textOf, warningsDuring } from '../helpers/servers.js';

afterEach(expectNoLeaks);

test('a server sees the allow-listed and the declared environment and no secret of the host', async () => {
  const environment = { PATH: process.env.PATH, HOME: '/home/me', AWS_SECRET_ACCESS_KEY: 'secret', NODE_OPTIONS: '' };
  const before = { ...process.env };
  await using manager = managerWith({ environment }, serverSpec('echo', [], { env: { TOKEN: 'for this server' } }));
  const seen = JSON.parse(textOf(await manager.callTool('echo', 'environment')));
  const expected = {
    PATH: process.env.PATH,
    TOKEN: 'for this server',
    MCP_CLIENT_MANAGER_OWNER: expect.stringMatching(new RegExp(`^${process.pid}-[0-9a-f-]{36}$`)),
    MCP_CLIENT_MANAGER_LAUNCH: expect.stringMatching(/^[0-9a-f-]{36}$/),
  };
  if (process.platform === 'win32') {
    // Windows and Node.js add variables of the system.
    expect(seen).toMatchObject(expected);
    expect(Object.keys(seen).filter((name) => name in environment)).toEqual(['PATH']);
  } else expect(seen).toEqual({ ...expected, HOME: '/home/me' });
  expect(process.env).toEqual(before);
});

test('one server does not see the variables of another', async () => {
  await using manager = managerOf(
    { ...serverSpec('echo', [], { env: { TOKEN: 'of one' } }), name: 'one' },
    { ...serverSpec('echo'), name: 'other' },
  );
  expect(JSON.parse(textOf(await manager.callTool('one', 'environment')))).toHaveProperty('TOKEN', 'of one');
  expect(JSON.parse(textOf(await manager.callTool('other', 'environment')))).not.toHaveProperty('TOKEN');
});

test('passes arguments literally', async () => {
  const args = [
    '--flag',
    '-x',
    '$HOME',
    '`id`',
    '$(id)',
    '; echo',
    '&& echo',
    '| cat',
    '> file',
    '*',
    '"',
    "'",
    '\\',
    '',
    ' ',
    '\n',
    'ü',
    '%PATH%',
    '^',
  ];
  await using manager = managerOf(serverSpec('echo', args));
  expect(JSON.parse(textOf(await manager.callTool('echo', 'arguments')))).toEqual(args);
});

test('a server runs in the directory of its spec, else in that of the host', async () => {
  const folder = await temporaryDirectory();
  await using manager = managerOf({ ...serverSpec('echo', [], { cwd: folder }), name: 'there' }, serverSpec('echo'));
  expect(textOf(await manager.callTool('there', 'directory'))).toBe(folder);
  expect(textOf(await manager.callTool('echo', 'directory'))).toBe(process.cwd());
});

test('a server that floods stderr before and after the handshake is never blocked', async () => {
  await using manager = managerOf(serverSpec('floods-stderr', ['--megabytes', '20']));
  let bytes = 0;
  manager.events.on('server-stderr', ({ line }) => {
    bytes += line.length + 1;
  });
  const server = manager.server('floods-stderr');
  await server.start();
  await server.callTool('flood');
  expect(textOf(await server.callTool('echo', { text: 'still here' }))).toBe('still here');
  await server.stop();
  expect(bytes).toBeGreaterThan(40_000_000);
  expect(server.stderrTail().join('\n').length).toBeLessThanOrEqual(65_536);
});

test.each([['--no-newline'], ['--binary']])('bounds stderr that has no lines of text: %s', async (flag) => {
  await using manager = managerOf(serverSpec('floods-stderr', ['--megabytes', '5', flag]));
  const server = manager.server('floods-stderr');
  let longest = 0;
  manager.events.on('server-stderr', ({ line }) => {
    longest = Math.max(longest, line.length);
  });
  expect(textOf(await server.callTool('echo', { text: 'still here' }))).toBe('still here');
  await server.stop();
  expect(longest).toBeLessThanOrEqual(4_097);
  expect(server.stderrTail().join('\n').length).toBeLessThanOrEqual(70_000);
});

test('a secret is in no event, no tail, no error and no log', async () => {
  const logDirectory = await temporaryDirectory();
  const redact = (text: string): string => text.replaceAll('hunter2', '***');
  await using manager = managerWith(
    { logDirectory, redact },
    serverSpec('exits-at-once', ['--stderr', 'the password is hunter2\u001b[2J'], { restart: { onFailure: false } }),
  );
  const events: string[] = [];
  manager.events.on('server-stderr', ({ line }) => events.push(line));
  const error = await failureOf(manager.server('exits-at-once').start());
  await manager.close();
  expect(events).toEqual(['the password is ***\u001b[2J']);
  expect(inspect(error, { depth: 5 })).not.toContain('hunter2');
  expect(isManagerError(error) && error.stderrTail).toEqual(events);
  expect(await readFile(join(logDirectory, 'exits-at-once.log'), 'utf8')).toMatch(
    /^\S+Z the password is \*\*\*\\x1b\[2J\n$/,
  );
});

test('a spec names the directory of its own log', async () => {
  const [logDirectory, own] = [await temporaryDirectory(), await temporaryDirectory()];
  const says = (name: string, fields?: object) => ({
    ...serverSpec('exits-at-once', ['--stderr', `from ${name}`], { restart: { onFailure: false } }),
    ...{ name, ...fields },
  });
  await using manager = managerWith({ logDirectory }, says('shared'), says('own', { logDirectory: own }));
  for (const name of ['shared', 'own']) await failureOf(manager.server(name).start());
  await manager.close();
  expect(await readFile(join(logDirectory, 'shared.log'), 'utf8')).toContain('from shared');
  expect(await readFile(join(own, 'own.log'), 'utf8')).toContain('from own');
});

test('another log directory counts from the next start of the server', async () => {
  const [before, after] = [await temporaryDirectory(), await temporaryDirectory()];
  const spec = serverSpec('exits-at-once', ['--stderr', 'a line'], { restart: { onFailure: false } });
  await using manager = managerWith({ logDirectory: before }, spec);
  await failureOf(manager.server('exits-at-once').start());
  expect(await manager.apply({ servers: [{ ...spec, logDirectory: after }] })).toMatchObject({
    updated: ['exits-at-once'],
  });
  await failureOf(manager.server('exits-at-once').start());
  await manager.close();
  for (const directory of [before, after]) {
    const text = await readFile(join(directory, 'exits-at-once.log'), 'utf8');
    expect(text.match(/a line/g)).toHaveLength(1);
  }
});

test('a log that cannot be written hurts no server', async () => {
  const logDirectory = join(await temporaryDirectory(), 'file');
  await writeFile(logDirectory, '');
  const warnings = await warningsDuring(async () => {
    await using manager = managerWith({ logDirectory }, serverSpec('floods-stderr'));
    expect(textOf(await manager.callTool('floods-stderr', 'echo', { text: 'still here' }))).toBe('still here');
  });
  expect(warnings).toEqual([expect.stringContaining('The log of server "floods-stderr" cannot be written')]);
});

test('a process that leaves the group of its server is reported when the server stops', async () => {
  await using manager = managerOf(serverSpec('leaves-grandchild', ['--new-session']));
  const grandchild = Number(textOf(await manager.callTool('leaves-grandchild', 'grandchild')));
  const escaped: unknown[] = [];
  manager.events.on('processes-escaped', (event) => escaped.push(event));
  await manager.server('leaves-grandchild').stop();
  expect(escaped).toEqual(process.platform === 'linux' ? [{ server: 'leaves-grandchild', pids: [grandchild] }] : []);
  process.kill(grandchild, 'SIGKILL');
});
