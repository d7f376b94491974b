import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { openStack } from '../src/compose.js';
import type { Io } from '../src/io.js';
import { deferred } from './helpers/deferred.js';
import { project, serversFile } from './helpers/project.js';

afterEach(expectNoLeaks);

function ioIn(folder: string, env: Io['env'] = {}): Io {
  const nowhere = { write: () => undefined };
  const { signal } = new AbortController();
  const stateDirectory = join(folder, 'state');
  const streams = { stdin: Readable.from([]), stdout: nowhere, stderr: nowhere };
  return { ...streams, env: { PATH: process.env.PATH, ...env }, cwd: folder, signal, stateDirectory };
}

test('the next command knows the tools of a server that does not run', async () => {
  await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'echo', server: 'echo' }]) });
  {
    await using stack = await openStack({}, ioIn(here.folder));
    await stack.manager.start();
  }
  await using stack = await openStack({}, ioIn(here.folder));
  expect(stack.manager.status()).toMatchObject([{ state: 'stopped', cachedAt: expect.any(Number) }]);
  expect(stack.manager.server('echo').listTools()).not.toHaveLength(0);
});

test('stderr goes into log_directory where the config names one, without secrets', async () => {
  const fields = { args: ['-e', 'console.error("token " + process.env.TOKEN)'], env: { TOKEN: '{{ env.TOKEN }}' } };
  const file = JSON.parse(
    serversFile([{ name: 'tells', server: 'echo', fields: { ...fields, command: process.execPath } }]),
  );
  file.mcp_settings.log_directory = 'logs';
  await using here = await project({ 'mcp_servers.yaml': JSON.stringify(file) });
  {
    await using stack = await openStack({}, ioIn(here.folder, { TOKEN: 'seekrit-value-1' }));
    expect(await stack.manager.start()).toMatchObject([{ status: 'failed' }]);
  }
  const [name = ''] = await readdir(join(here.folder, 'logs'));
  expect(await readFile(join(here.folder, 'logs', name), 'utf8')).toMatch(/Z token \*+\n/);
});

test('a config that names no log_directory leaves no folder behind', async () => {
  await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'echo', server: 'floods-stderr' }]) });
  {
    await using stack = await openStack({}, ioIn(here.folder));
    await stack.manager.start();
  }
  expect(await readdir(here.folder)).toEqual(['mcp_servers.yaml', 'state']);
});

test('a call that is under way goes on when the config is read again or trust is decided on', async () => {
  await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'slow', server: 'slow' }]) });
  await using stack = await openStack({}, ioIn(here.folder));
  await stack.manager.start();
  const called = deferred();
  const running = stack.useRegistry((registry) =>
    registry.call('mcp__slow__wait', { ms: 300, steps: 3 }, { onProgress: () => called.resolve() }),
  );
  await called.promise;
  const before = stack.registry;
  await stack.reload();
  await stack.setTrust({ default: 'approve', servers: {} });
  expect(stack.registry).not.toBe(before);
  expect(await running).toMatchObject({ content: [{ text: 'waited 300 ms' }] });
  expect(stack.registry.list().map(({ name }) => name)).toEqual(['search_mcp_tools']);
});

test('a secret that was exchanged stays hidden for as long as a call goes on that may tell it', async () => {
  const fields = { env: { TOKEN: '{{ env.TOKEN }}' } };
  await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'slow', server: 'slow', fields }]) });
  const env = { TOKEN: 'secret-number-0' };
  const io = ioIn(here.folder);
  await using stack = await openStack(
    {},
    {
      ...io,
      env: {
        ...io.env,
        get TOKEN() {
          return env.TOKEN;
        },
      },
    },
  );
  const end = deferred();
  const use = stack.useRegistry(() => end.promise);
  for (const number of [1, 2, 3]) {
    env.TOKEN = `secret-number-${number}`;
    await stack.reload();
  }
  expect(stack.redactor.redact('0 secret-number-0, 1 secret-number-1, 2 secret-number-2, 3 secret-number-3')).toBe(
    '0 ***, 1 secret-number-1, 2 ***, 3 ***',
  );
  end.resolve();
  await use;
  await stack.reload();
  expect(stack.redactor.redact('secret-number-0 secret-number-3')).toBe('secret-number-0 ***');
});
