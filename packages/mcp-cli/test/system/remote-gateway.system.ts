import { execFileSync } from 'node:child_process';
import { access, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expectNoLeaks, withOwner } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { project, serversFile } from '../helpers/project.js';
import { homeIn, mcpx } from '../helpers/serving.js';
import { connectStdioProcess } from '../helpers/stdio-client.js';
import { freePort, startProgram, temporaryFolder } from './system-program.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  await expectNoLeaks();
});

function own<Opened extends AsyncDisposable>(one: Opened): Opened {
  opened.push(one);
  return one;
}

/** A machine of its own: sshd with its own keys, on the loopback, where `mcpx` serves that config. */
async function machineWith(files: Readonly<Record<string, string>>) {
  const { folder } = own(await temporaryFolder());
  const home = own(await project(files));
  for (const key of ['host', 'user']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, key)]);
  }
  const authorized = join(folder, 'authorized_keys');
  await writeFile(authorized, await readFile(join(folder, 'user.pub'), 'utf8'), { mode: 0o600 });
  // Stands for the PATH of a shell on that machine.
  const programs = join(folder, 'bin');
  await mkdir(programs);
  const environment = Object.entries(withOwner(homeIn(home.folder))).map(
    ([name, value]) => `export ${name}='${value}'`,
  );
  const script = ['#!/bin/sh', ...environment, `cd '${home.folder}'`, `exec '${process.execPath}' '${mcpx}' "$@"`];
  await writeFile(join(programs, 'mcpx'), `${script.join('\n')}\n`);
  await chmod(join(programs, 'mcpx'), 0o755);
  // The daemon that serves it stays when its client is gone.
  own({ [Symbol.asyncDispose]: async () => void execFileSync(join(programs, 'mcpx'), ['down', '--now']) });
  const port = await freePort();
  const settings = {
    ListenAddress: '127.0.0.1',
    Port: port,
    HostKey: join(folder, 'host'),
    AuthorizedKeysFile: authorized,
    PidFile: 'none',
    StrictModes: 'no',
    UsePAM: 'no',
    PasswordAuthentication: 'no',
    KbdInteractiveAuthentication: 'no',
    SetEnv: `PATH=${programs}:/usr/bin:/bin`,
  };
  const config = join(folder, 'sshd_config');
  await writeFile(
    config,
    Object.entries(settings)
      .map(([name, value]) => `${name} ${value}\n`)
      .join(''),
  );
  // Where no system service of that name has made it.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true });
  const sshd = own(startProgram(process.env.SSHD ?? '/usr/sbin/sshd', ['-D', '-e', '-f', config]));
  const options = ['StrictHostKeyChecking=no', `UserKnownHostsFile=${folder}/known`, 'BatchMode=yes', 'LogLevel=ERROR'];
  const { username } = userInfo();
  const at = [...options.flatMap((option) => ['-o', option]), '-p', `${port}`, '-i', join(folder, 'user')];
  const args = ['-F', 'none', ...at, `${username}@127.0.0.1`];
  const isUp = () => {
    try {
      return execFileSync('ssh', [...args, 'mcpx', '--version'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    } catch (error) {
      return `${error}\n${sshd.output()}`;
    }
  };
  await expect.poll(isUp, { timeout: 20_000 }).toMatch(/^\d+\.\d+\.\d+/);
  return { entry: (...words: readonly string[]) => ({ command: 'ssh', args: [...args, ...words], auto_start: true }) };
}

const remoteServers = serversFile([
  { name: 'shelf', server: 'resources-and-prompts' },
  { name: 'files', server: 'echo' },
  { name: 'notes', server: 'echo' },
]);

const configWith = (servers: Readonly<Record<string, object>>) => ({
  'mcp_servers.yaml': JSON.stringify({ mcp_servers: servers, mcp_settings: { shutdown_timeout_seconds: 2 } }),
});

test('servers of another machine have one prefix, one search, resources, prompts and instructions', async () => {
  const remote = await machineWith({ 'mcp_servers.yaml': remoteServers });
  const here = own(await project(configWith({ build: remote.entry('mcpx', 'serve', '--names', 'nested') })));
  await using connection = await connectStdioProcess(here.folder);
  const { client } = connection;
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['search_mcp_tools', 'mcp__build__files__echo', 'mcp__build__notes__echo']),
  );
  expect(names.filter((name) => /search_mcp|call_mcp/.test(name))).toHaveLength(1);
  expect(names.filter((name) => name.includes('mcp__build__mcp__'))).toEqual([]);

  const echoed = await client.callTool({ name: 'mcp__build__files__echo', arguments: { text: 'from afar' } });
  expect(echoed.content).toEqual([{ type: 'text', text: 'from afar' }]);
  const found = await client.callTool({ name: 'search_mcp_tools', arguments: { query: 'echo' } });
  expect(JSON.stringify(found.structuredContent)).toContain('mcp__build__notes__echo');

  const { resources } = await client.listResources();
  const uris = resources.map(({ uri }) => uri);
  expect(uris).toEqual(['mcp+build:mcp+shelf:test://a', 'mcp+build:mcp+shelf:test://b']);
  const read = await client.readResource({ uri: 'mcp+build:mcp+shelf:test://a' });
  expect(read.contents).toMatchObject([{ uri: 'mcp+build:mcp+shelf:test://a' }]);
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(['mcp__build__shelf__greet']);
  expect(
    (await client.getPrompt({ name: 'mcp__build__shelf__greet', arguments: { name: 'Ann' } })).messages,
  ).not.toEqual([]);
});

test('a nested gateway starts no gateways of other machines, so two machines may have each other', async () => {
  const { folder } = own(await temporaryFolder());
  const started = join(folder, 'started');
  await writeFile(join(folder, 'ssh'), `#!/bin/sh\ntouch '${started}'\n`, { mode: 0o755 });
  const back = { command: join(folder, 'ssh'), args: ['here', 'mcpx serve --names nested'], auto_start: true };
  const { mcp_servers: servers } = JSON.parse(remoteServers) as { mcp_servers: Record<string, object> };
  const remote = await machineWith(configWith({ ...servers, back }));
  const here = own(await project(configWith({ build: remote.entry('mcpx', 'serve', '--names', 'nested') })));
  await using connection = await connectStdioProcess(here.folder);
  const { tools } = await connection.client.listTools();
  expect(tools.map(({ name }) => name)).toContain('mcp__build__files__echo');
  await expect(access(started)).rejects.toThrow('ENOENT');
});
