import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { Launch, SecretRequest } from '../../src/launch/prepare-launch.js';
import type { ClientManagerOptions } from '../../src/options.js';
import type { HttpServerSpec, StdioServerSpec } from '../../src/spec.js';
import { deferred } from '../helpers/deferred.js';
import { startModernHttp } from '../helpers/modern-http.js';
import { failureOf, managerWith, stateOf } from '../helpers/servers.js';

let directory: string | undefined;

afterEach(async () => {
  if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  directory = undefined;
  await expectNoLeaks();
});

/** An echo server that first writes the value of its TOKEN to stderr. */
function tellsToken(extras: Partial<StdioServerSpec> = {}): StdioServerSpec {
  const { command, args } = testServer('echo');
  const tells = 'data:text/javascript,process.stderr.write("TOKEN="+process.env.TOKEN+"\\n")';
  return {
    name: 'git',
    command,
    args: ['--import', tells, ...args],
    secrets: [{ key: 'TOKEN', reference: 'vault:git' }],
    ...extras,
  };
}

/** A process that leaves a file behind as soon as it runs. */
async function canary(): Promise<{ readonly spec: StdioServerSpec; readonly wasRun: () => boolean }> {
  directory = await mkdtemp(join(tmpdir(), 'launch-'));
  const file = join(directory, 'ran');
  const script = `require('node:fs').writeFileSync(${JSON.stringify(file)}, '')`;
  return { spec: { name: 'git', command: process.execPath, args: ['-e', script] }, wasRun: () => existsSync(file) };
}

test('a server gets the secrets of its spec, and every start looks them up again', async () => {
  const asked: SecretRequest[] = [];
  const resolveSecret = (secret: SecretRequest): string => {
    asked.push(secret);
    return `value-${asked.length}`;
  };
  await using manager = managerWith({ resolveSecret }, tellsToken({ env: { OTHER: '1' } }));
  const server = manager.server('git');
  expect(asked).toEqual([]);
  await server.start();
  expect(asked).toEqual([{ server: 'git', key: 'TOKEN', reference: 'vault:git', target: 'variable' }]);
  expect(server.stderrTail()).toEqual(['TOKEN=value-1']);
  await server.restart();
  expect(server.stderrTail()).toEqual(['TOKEN=value-2']);
});

test('a server with a secret does not start without resolveSecret', async () => {
  const { spec, wasRun } = await canary();
  const secrets = [{ key: 'TOKEN', reference: 'sk-somebody-wrote-the-secret-here' }];
  await using manager = managerWith({}, { ...spec, secrets });
  const error = await failureOf(manager.server('git').start());
  expect(error).toMatchObject({ code: 'start-failed', cause: { code: 'unresolved-secret', server: 'git' } });
  expect((error as Error).message).toBe(
    'Server "git" was not started: the secret for its variable TOKEN was not looked up. Give createClientManager the option "resolveSecret", or look secrets up ahead with loadConfig({ secrets: "resolve" }). It is not tried again until it is started by hand.',
  );
  expect(manager.server('git').phase).toBe('failed');
  expect(wasRun()).toBe(false);
});

test('a failed secret lookup is repeated with the next attempt', async () => {
  let asked = 0;
  const resolveSecret = (): string => {
    asked += 1;
    if (asked === 1) throw new Error('the vault is sealed, key hunter2');
    return 'open';
  };
  const redact = (text: string): string => text.replaceAll('hunter2', '***');
  await using manager = managerWith({ resolveSecret, redact }, tellsToken());
  expect(await failureOf(manager.server('git').start())).toMatchObject({
    code: 'start-failed',
    retryable: true,
    message: expect.stringContaining('TOKEN cannot be looked up: the vault is sealed, key ***.'),
    cause: { code: 'unresolved-secret' },
  });
  await stateOf(manager, 'git', 'ready');
  expect(manager.server('git').stderrTail()).toEqual(['TOKEN=open']);
});

test.each([
  [undefined, 'resolveSecret returned no string'],
  ['', 'it is empty'],
  ['a\0b', 'it contains a NUL character'],
])('the secret %j is refused', async (value, problem) => {
  const { spec, wasRun } = await canary();
  const resolveSecret = (() => value) as ClientManagerOptions['resolveSecret'];
  const secrets = [{ key: 'TOKEN', reference: 'vault:git' }];
  await using manager = managerWith({ resolveSecret }, { ...spec, secrets });
  const { cause } = (await failureOf(manager.server('git').start())) as Error;
  expect(cause).toMatchObject({
    code: 'unresolved-secret',
    message: expect.stringContaining(`cannot be used: ${problem}.`),
  });
  expect(wasRun()).toBe(false);
});

test('a stop ends the wait for a secret, and nothing starts after it', async () => {
  const { spec, wasRun } = await canary();
  const asked = deferred();
  const value = deferred<string>();
  const resolveSecret = (_: SecretRequest, { signal }: { signal: AbortSignal }): Promise<string> => {
    signal.addEventListener('abort', () => value.resolve('late'));
    asked.resolve();
    return value.promise;
  };
  await using manager = managerWith(
    { resolveSecret },
    { ...spec, secrets: [{ key: 'TOKEN', reference: 'vault:git' }] },
  );
  const start = failureOf(manager.server('git').start());
  await asked.promise;
  await manager.server('git').stop();
  expect(await value.promise).toBe('late');
  expect(await start).toMatchObject({ code: 'server-stopping' });
  await manager.close();
  expect(wasRun()).toBe(false);
});

test('the host gets the exact launch before any secret is looked up', async () => {
  const calls: unknown[] = [];
  const spec = tellsToken({ env: { MODE: 'fast' }, cwd: tmpdir() });
  await using manager = managerWith(
    {
      confirmLaunch: (launch) => {
        calls.push(launch);
        return true;
      },
      resolveSecret: ({ key }) => {
        calls.push(key);
        return 'sesame';
      },
    },
    spec,
  );
  await manager.server('git').start();
  const { command, args, secrets } = spec;
  const launch: Launch = {
    server: 'git',
    transport: 'stdio',
    command,
    args: args ?? [],
    env: { MODE: 'fast' },
    cwd: tmpdir(),
    secrets: secrets ?? [],
  };
  expect(calls).toEqual([launch, 'TOKEN']);
});

test.each([
  ['false', () => false, 'its launch was not confirmed.'],
  ['a word that is no boolean', () => 'yes' as never, 'its launch was not confirmed.'],
  ['a promise of false', async () => false, 'its launch was not confirmed.'],
  [
    'an error',
    () => {
      throw new Error('run "trust" first');
    },
    'run "trust" first.',
  ],
])('a launch that is answered with %s runs nothing and is not tried again', async (_, answer, reason) => {
  const { spec, wasRun } = await canary();
  let lookUps = 0;
  let questions = 0;
  const options: ClientManagerOptions = {
    confirmLaunch: () => {
      questions += 1;
      return answer();
    },
    resolveSecret: () => {
      lookUps += 1;
      return 'sesame';
    },
  };
  await using manager = managerWith(options, { ...spec, secrets: [{ key: 'TOKEN', reference: 'vault:git' }] });
  const server = manager.server('git');
  expect(await failureOf(server.callTool('echo'))).toMatchObject({
    code: 'start-failed',
    retryable: false,
    cause: { code: 'launch-refused', server: 'git' },
  });
  expect(await failureOf(server.callTool('echo'))).toMatchObject({ code: 'start-failed' });
  expect(questions).toBe(1);
  expect(await failureOf(server.start())).toMatchObject({
    message: expect.stringContaining(`Server "git" was not started: ${reason} It is not tried again`),
  });
  expect(questions).toBe(2);
  expect(server.status).toMatchObject({ state: 'failed', phase: 'failed', restarts: 1 });
  expect(lookUps).toBe(0);
  expect(wasRun()).toBe(false);
});

test('a question to the host does not count to the startup timeout, and a stop takes it back', async () => {
  const { spec, wasRun } = await canary();
  const asked = deferred<AbortSignal>();
  const confirmLaunch: ClientManagerOptions['confirmLaunch'] = (_, { signal }) => {
    asked.resolve(signal);
    return new Promise(() => undefined);
  };
  await using manager = managerWith({ confirmLaunch }, { ...spec, limits: { startupTimeoutMs: 1_000 } });
  const start = failureOf(manager.server('git').start());
  const signal = await asked.promise;
  await manager.server('git').stop();
  expect(signal.aborted).toBe(true);
  expect(await start).toMatchObject({ code: 'server-stopping' });
  expect(wasRun()).toBe(false);
});

test('a relaunch with another command line needs another consent', async () => {
  const asked: string[] = [];
  const confirmLaunch: ClientManagerOptions['confirmLaunch'] = (launch) => {
    asked.push(launch.transport === 'stdio' ? (launch.args.at(-1) ?? '') : launch.url);
    return asked.length === 1;
  };
  const { command, args } = testServer('echo');
  await using manager = managerWith({ confirmLaunch }, { name: 'git', command, args: [...args, 'first'] });
  await manager.server('git').start();
  await manager.apply({ servers: [{ name: 'git', command, args: [...args, 'second'] }] });
  await stateOf(manager, 'git', 'failed');
  expect(asked).toEqual(['first', 'second']);
});

test('an HTTP server gets its secret headers, and needs consent, too', async () => {
  await using remote = await startModernHttp({});
  const launches: Launch[] = [];
  const spec: HttpServerSpec = {
    name: 'remote',
    url: remote.url,
    headers: { 'x-plain': '1' },
    secrets: [{ key: 'x-api-key', reference: 'vault:remote' }],
  };
  let mayConnect = false;
  await using manager = managerWith(
    {
      resolveSecret: () => 'two\nlines',
      confirmLaunch: (launch) => {
        launches.push(launch);
        return mayConnect;
      },
    },
    spec,
  );
  const { cause } = (await failureOf(manager.server('remote').start())) as Error;
  expect(cause).toMatchObject({ code: 'launch-refused' });
  expect(launches).toEqual([
    {
      server: 'remote',
      transport: 'http',
      url: remote.url,
      headers: { 'x-plain': '1' },
      auth: undefined,
      secrets: [{ key: 'x-api-key', reference: 'vault:remote' }],
    },
  ]);
  expect(await failureOf(manager.server('remote').authorize())).toMatchObject({ code: 'launch-refused' });
  mayConnect = true;
  const several = (await failureOf(manager.server('remote').start())) as Error;
  expect(several.cause).toMatchObject({ message: expect.stringContaining('cannot be used: it has several lines.') });
});
