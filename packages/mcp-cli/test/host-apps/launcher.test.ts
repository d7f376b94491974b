import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expectNoLeaks, withOwner } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { launcherPath, launcherText, refreshLauncher, writeLauncher } from '../../src/host-apps/launcher.js';
import { project, serversFile } from '../helpers/project.js';
import { homeIn, startMcpx } from '../helpers/serving.js';

afterEach(expectNoLeaks);

const run = promisify(execFile);
const program = 'process.stdout.write(JSON.stringify([process.argv.slice(1), process.execPath, process.env.PATH]));\n';

/** A home with an own Node.js and `mcpx`, both below names that a shell would split. */
async function home() {
  const here = await project({ "it's $HOME/bin.mjs": program });
  const folder = here.folder;
  const node = join(folder, 'versions of node', 'v22', 'bin', 'node');
  await mkdir(dirname(node), { recursive: true });
  await symlink(process.execPath, node);
  const bin = join(folder, "it's $HOME", 'bin.mjs');
  const io = {
    stateDirectory: join(folder, 'Application Support', 'mcpx'),
    env: { PATH: `/opt/own tools/bin:relative:${folder}/node_modules/.bin:/opt/own tools/bin` },
    daemonPrograms: { command: [node, bin], parent: [], worker: [] },
  };
  const file = launcherPath(io.stateDirectory);
  return {
    folder,
    io,
    node,
    bin,
    file,
    start: async (env = { PATH: '/usr/bin:/bin' }) => {
      const { stdout } = await run(file, ['serve', '--config', 'a b'], {
        env: { HOME: folder, ...env },
      });
      return JSON.parse(stdout) as [string[], string, string];
    },
    [Symbol.asyncDispose]: () => here[Symbol.asyncDispose](),
  };
}

describe.skipIf(process.platform === 'win32')('the launcher of host apps', () => {
  test('starts the program that wrote it, and adds the directories of its PATH to that of a desktop', async () => {
    await using here = await home();
    await writeLauncher(here.io);
    const [words, , path] = await here.start();
    expect(words).toEqual([here.bin, 'serve', '--config', 'a b']);
    expect(path).toBe(`/usr/bin:/bin:${dirname(here.node)}:/opt/own tools/bin`);
  });

  test('finds another Node.js after its own was removed', async () => {
    await using here = await home();
    await writeLauncher(here.io);
    const next = join(here.folder, '.nvm/versions/node/v24.1.0/bin/node');
    await mkdir(dirname(next), { recursive: true });
    await rm(here.node);
    await symlink(process.execPath, next);
    const [words, , path] = await here.start({ PATH: '/missing' });
    expect(words).toEqual([here.bin, 'serve', '--config', 'a b']);
    expect(path.split(':')).toContain(dirname(next));
  });

  test('finds the mcpx of another Node.js after its own was removed with it', async () => {
    await using here = await home();
    await writeLauncher(here.io);
    const bin = join(here.folder, '.nvm/versions/node/v24.1.0/bin');
    await mkdir(bin, { recursive: true });
    await rm(dirname(here.bin), { recursive: true });
    await rm(here.node);
    await symlink(process.execPath, join(bin, 'node'));
    await writeFile(join(here.folder, 'next.js'), `#!/usr/bin/env node\n${program}`);
    await chmod(join(here.folder, 'next.js'), 0o755);
    await symlink(join(here.folder, 'next.js'), join(bin, 'mcpx'));
    const [words] = await here.start({ PATH: '/missing' });
    expect(words).toEqual([join(bin, 'mcpx'), 'serve', '--config', 'a b']);
  });

  test('is replaced by a newer version, or when its program is gone, and only then', async () => {
    await using here = await home();
    await refreshLauncher(here.io);
    await expect(readFile(here.file)).rejects.toThrow('ENOENT');
    await writeLauncher(here.io);
    const first = await readFile(here.file, 'utf8');
    const second = join(here.folder, 'second.mjs');
    await writeFile(second, program);
    const other = { ...here.io, daemonPrograms: { ...here.io.daemonPrograms, command: [here.node, second] } };

    await refreshLauncher(other);
    expect(await readFile(here.file, 'utf8')).toBe(first);
    await writeFile(here.file, first.replace('"version":"0.0.0"', '"version":"0.0.0-rc"'));
    await refreshLauncher(other);
    expect(await readFile(here.file, 'utf8')).toContain('0.0.0-rc');

    await rm(here.bin);
    await refreshLauncher(other);
    expect((await here.start())[0]).toEqual([second, 'serve', '--config', 'a b']);
  });

  test('a file that mcpx did not write stays', async () => {
    await using here = await home();
    await mkdir(dirname(here.file), { recursive: true });
    await writeFile(here.file, '#!/bin/sh\necho mine\n');
    await refreshLauncher(here.io);
    expect(await readFile(here.file, 'utf8')).toBe('#!/bin/sh\necho mine\n');
  });

  test('the entry that sync writes answers an app that a desktop started, without Node.js in its PATH', async () => {
    await using here = await project({
      'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]),
      'home/.cursor/mcp.json': '{}',
    });
    await using sync = startMcpx(here.folder, ['sync', 'cursor', '--gateway', '--yes']);
    expect(await sync.ended()).toMatchObject({ exitCode: 0 });
    const { mcpServers } = JSON.parse(await readFile(join(here.folder, 'home/.cursor/mcp.json'), 'utf8'));
    const env = { ...homeIn(here.folder), ...mcpServers.mcpx.env, PATH: '/missing', MCPX_TRUST: '1' };
    const client = new Client({ name: 'desktop', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ ...mcpServers.mcpx, cwd: '/', env: withOwner(env) }));
    const { tools } = await client.listTools();
    await client.close();
    await using down = startMcpx(here.folder, ['down', '--now']);
    await down.ended();
    expect(tools.map(({ name }) => name)).toContain('mcp__files__echo');
  });
});

test('on Windows it is a batch file in which names are literal', () => {
  const parts = {
    node: 'C:\\Program Files\\nodejs\\node.exe',
    program: 'C:\\100%\\bin.js',
    path: 'C:\\nodejs',
    version: '1.2.3',
  };
  const lines = launcherText(parts, 'win32').split('\r\n');
  expect(lines).toContain('"C:\\Program Files\\nodejs\\node.exe" "C:\\100%%\\bin.js" %*');
  expect(lines).toContain('set "PATH=%PATH%;C:\\nodejs"');
  expect(lines.at(-1)).toBe('');
});

test('on Windows it finds no program in the working directory', () => {
  const parts = { node: 'C:\\node.exe', program: 'C:\\bin.js', path: 'C:\\', version: '1.2.3' };
  const lines = launcherText(parts, 'win32').split('\r\n');
  const first = lines.findIndex((line) => /node\.exe|\.cmd|chcp|where/.test(line) && !line.startsWith('rem '));
  expect(lines.indexOf('set "NoDefaultCurrentDirectoryInExePath=1"')).toBeGreaterThan(0);
  expect(lines.indexOf('set "NoDefaultCurrentDirectoryInExePath=1"')).toBeLessThan(first);
  expect(lines).toContain('where $PATH:mcpx.cmd >nul 2>nul');
});
