import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createClientManager } from '@x/mcp-client-manager';
import { loadConfig } from '@x/mcp-config-schema/load';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import type { Io } from '../src/command.js';
import { openStack } from '../src/compose.js';
import { deferred } from './helpers/deferred.js';
import { project, serversFile } from './helpers/project.js';

afterEach(expectNoLeaks);

function ioIn(folder: string, env: Io['env'] = {}): Io {
  const nowhere = { write: () => undefined };
  const { signal } = new AbortController();
  const stateDirectory = join(folder, 'state');
  const streams = { stdin: Readable.from([]), stdout: nowhere, stderr: nowhere };
  return { ...streams, env: { PATH: process.env.PATH, MCPX_TRUST: '1', ...env }, cwd: folder, signal, stateDirectory };
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

test('createClientManager(await loadConfig()) writes logs into log_directory, too', async () => {
  const file = JSON.parse(serversFile([{ name: 'tells', server: 'exits-at-once', args: ['--stderr', 'last words'] }]));
  file.mcp_settings.log_directory = 'logs/mcp_servers';
  await using here = await project({ 'mcp_servers.yaml': JSON.stringify(file) });
  await using manager = createClientManager(await loadConfig({ cwd: here.folder }));
  expect(await manager.start()).toMatchObject([{ status: 'failed' }]);
  await manager.close();
  const directory = join(here.folder, 'logs/mcp_servers');
  const [name = ''] = await readdir(directory);
  expect(await readFile(join(directory, name), 'utf8')).toMatch(/Z last words\n/);
});

test.skipIf(process.platform === 'win32')(
  'a server runs in the directory that a link led to when the config was read',
  async () => {
    const text = `import { readFileSync } from 'node:fs'; console.error(readFileSync('name', 'utf8')); process.exit(1);`;
    const fields = { command: process.execPath, args: ['--input-type=module', '-e', text], cwd: 'link' };
    await using here = await project({
      'mcp_servers.yaml': serversFile([{ name: 'tells', server: 'echo', fields }]),
      'good/name': 'the agreed one',
      'evil/name': 'another one',
    });
    await symlink('good', join(here.folder, 'link'));
    await using stack = await openStack({}, ioIn(here.folder));
    await rm(join(here.folder, 'link'));
    await symlink('evil', join(here.folder, 'link'));
    await stack.manager.start();
    expect(stack.manager.server('tells').status.lastError).toContain('the agreed one');
  },
);

test('a config that names no log_directory leaves no folder behind', async () => {
  await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'echo', server: 'floods-stderr' }]) });
  {
    await using stack = await openStack({}, ioIn(here.folder));
    await stack.manager.start();
  }
  expect(await readdir(here.folder)).toEqual(['mcp_servers.yaml', 'state']);
});

test('a call in progress continues when the config is read again or trust changes', async () => {
  await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'slow', server: 'slow' }]) });
  await using stack = await openStack({}, ioIn(here.folder));
  await stack.manager.start();
  const called = deferred();
  const running = stack.duringCall(() =>
    stack.registry.call('mcp__slow__wait', { ms: 300, steps: 3 }, { onProgress: () => called.resolve() }),
  );
  await called.promise;
  await stack.reload();
  await stack.setTrust({ mode: 'approve' });
  expect(await running).toMatchObject({ content: [{ text: 'waited 300 ms' }] });
  expect(stack.registry.list().map(({ name }) => name)).toEqual(['search_mcp_tools']);
});

test('a replaced secret stays redacted while a call that may contain it is in progress', async () => {
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
  const use = stack.duringCall(() => end.promise);
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

test('a replaced secret stays redacted while the server that received it finishes its calls', async () => {
  const fields = { env: { TOKEN: '{{ env.TOKEN }}' } };
  await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'slow', server: 'slow', fields }]) });
  const { env, ...io } = ioIn(here.folder, { TOKEN: 'secret-number-0' });
  await using stack = await openStack({}, { ...io, env });
  const ending = new AbortController();
  const called = deferred();
  const options = { signal: ending.signal, onProgress: () => called.resolve() };
  const call = stack.manager.callTool('slow', 'wait', { ms: 600_000, steps: 6_000 }, options);
  await called.promise;
  const reloads: Promise<unknown>[] = [];
  for (const number of [1, 2, 3, 4]) {
    Object.assign(env, { TOKEN: `secret-number-${number}` });
    await new Promise<void>((resolve) => reloads.push(stack.reload({ onSwitched: () => resolve() })));
  }
  expect(stack.manager.server('slow').phase).toBe('draining');
  expect(stack.redactor.redact('secret-number-0 secret-number-4')).toBe('*** ***');
  ending.abort(new Error('long enough'));
  await expect(call).rejects.toThrow('long enough');
  expect(await Promise.all(reloads)).toMatchObject(Array(4).fill({ restarted: ['slow'], failures: [] }));
  await stack.reload();
  expect(stack.redactor.redact('secret-number-0 secret-number-4')).toBe('secret-number-0 ***');
});

const toolsFile = (...allowed: string[]) =>
  JSON.stringify({ tools: { app: { role_restrictions: { r: { allowed_tools: allowed } } } } });

describe('reading the config again', () => {
  async function withRoles() {
    const here = await project({
      'mcp_servers.yaml': serversFile([{ name: 'echo', server: 'echo' }]),
      'tools.yaml': toolsFile('echo'),
    });
    const stack = await openStack({}, ioIn(here.folder));
    await stack.manager.start();
    const view = stack.registry.view({ role: 'r' });
    return {
      stack,
      names: () => view.list().map(({ name }) => name),
      write: (name: string, text: string) => writeFile(join(here.folder, name), text),
      [Symbol.asyncDispose]: async () => {
        await stack[Symbol.asyncDispose]();
        await here[Symbol.asyncDispose]();
      },
    };
  }

  test('reload applies roles to existing views', async () => {
    await using here = await withRoles();
    expect(here.names()).toContain('mcp__echo__echo');
    await here.write('tools.yaml', toolsFile('echo.pid'));
    expect(await here.stack.reload()).toMatchObject({ roles: ['r'], trust: false, settings: false });
    expect(here.names()).toEqual(['mcp__echo__pid', 'search_mcp_tools']);
    await here.write('tools.yaml', `\n${toolsFile('echo.pid')}`);
    expect(await here.stack.reload()).toMatchObject({ roles: [], trust: false, settings: false });
  });

  test('reload leaves everything as it is if the config has errors', async () => {
    await using here = await withRoles();
    const before = here.names();
    for (const text of ['tools: [', JSON.stringify({ tools: { app: { role_restrictions: { r: {} } } } })]) {
      await here.write('tools.yaml', text);
      await expect(here.stack.reload()).rejects.toMatchObject({ code: 'invalid-config' });
      expect(here.names()).toEqual(before);
    }
  });

  test('reload attaches servers that were added and detaches those that were removed', async () => {
    await using here = await withRoles();
    await here.write('tools.yaml', toolsFile('echo', 'other'));
    await here.write('mcp_servers.yaml', serversFile([{ name: 'other', server: 'echo' }]));
    expect(await here.stack.reload({ trust: true })).toMatchObject({
      added: ['other'],
      removed: ['echo'],
      roles: ['r'],
    });
    await here.stack.manager.server('other').start();
    expect(here.names()).toContain('mcp__other__echo');
    expect(here.names()).not.toContain('mcp__echo__echo');
    await here.write('mcp_servers.yaml', serversFile([{ name: 'echo', server: 'echo' }]));
    await here.stack.reload();
    await here.stack.manager.server('echo').start();
    expect(here.names()).toContain('mcp__echo__echo');
  });

  test('reload reports changed settings', async () => {
    await using here = await withRoles();
    const settings = { startup_timeout_seconds: 7 };
    await here.write('mcp_servers.yaml', serversFile([{ name: 'echo', server: 'echo' }], settings));
    expect(await here.stack.reload()).toMatchObject({ roles: [], trust: false, settings: true });
  });
});
