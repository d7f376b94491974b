// deploy/systemd/mcpx.service without a systemd: what it starts, and the command of docs/fleet-operations.md that has it join.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { nkeys } from '@nats-io/transport-node';
import { natsAccountsConfig } from '@x/mcp-fleet/nats';
import { expectNoLeaks, startNatsServer, withOwner } from '@x/test-servers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { certificates } from '../../../packages/mcp-fleet/test/nats/fixtures/certificates.js';
import { fencesOf } from '../stage/page.js';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '../../..');
const mcpx = join(repository, 'packages/mcp-cli/dist/bin.js');

let folder: string;
const kill = new AbortController();
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'mcpx-unit-')));
});
afterEach(async () => {
  kill.abort(); // of a test that failed
  await rm(folder, { recursive: true, force: true });
  await expectNoLeaks();
});

test('the daemon of the unit is the one that joins, and it has left when the unit is stopped', async () => {
  const unit = await readFile(join(repository, 'deploy/systemd/mcpx.service'), 'utf8');
  const page = fencesOf('docs/fleet-operations.md', 'sh').find((fence) => fence.includes('mcpx fleet join')) ?? '';
  const [, environment = '', command = ''] =
    /^sudo -u mcpx env (.*?) mcpx (.*)$/.exec(page.trim().replaceAll(/\s*\\\n\s*/g, ' ')) ?? [];
  const ofUnit = Array.from(unit.matchAll(/^Environment=(.*)$/gm), ([, words]) => words);
  // Consent is a matter of the daemon; commands have to name the same places.
  expect(ofUnit.filter((words) => words !== 'MCPX_TRUST=1').toSorted()).toEqual(environment.split(' ').toSorted());

  await using nats = await startNatsServer({ config: await writeFiles() });
  const here = (words: string) =>
    words
      .replace('tls://nats.example.com:4222', `tls://127.0.0.1:${nats.port}`)
      .replaceAll(/\/(etc\/mcpx|var\/lib\/mcpx|run\/mcpx-daemon)(?=[/ ]|$)/g, (path) => join(folder, path))
      .split(' ');
  const env = withOwner({
    PATH: process.env.PATH,
    MCPX_TRUST: '1', // as the unit has it
    ...Object.fromEntries(here(environment).map((pair) => pair.split('='))),
  });
  const cwd = here(/^WorkingDirectory=(.*)$/m.exec(unit)?.[1] ?? '')[0] as string;

  const [, started = ''] = /^ExecStart=\S+ (.*)$/m.exec(unit) ?? [];
  const daemon = spawn(process.execPath, [mcpx, ...here(started)], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  kill.signal.addEventListener('abort', () => daemon.kill('SIGKILL'));
  const exitCode = once(daemon, 'close').then(([code]) => code as number | null);
  await untilSaid('The daemon is ready', daemon.stderr);

  const { stdout } = await run(process.execPath, [mcpx, ...here(command)], { cwd: folder, env });
  expect(stdout).toContain('Fleet "team": this node is "build-1", joined');
  const [, reload = ''] = /^ExecReload=\S+ (.*)$/m.exec(unit) ?? [];
  await run(process.execPath, [mcpx, ...here(reload)], { cwd, env });
  const status = await run(process.execPath, [mcpx, 'daemon', 'status', '--json', ...here('--config /etc/mcpx')], {
    cwd: folder,
    env,
  });
  expect(JSON.parse(status.stdout)).toMatchObject({ running: true, pid: daemon.pid });
  const roles = await run(process.execPath, [mcpx, 'roles', ...here('--config /etc/mcpx')], { cwd: folder, env });
  expect(roles.stdout).toContain('reader'); // of tools.yaml

  daemon.kill('SIGTERM');
  expect(await exitCode).toBe(0);
});

async function untilSaid(start: string, stream: NodeJS.ReadableStream): Promise<void> {
  for await (const line of createInterface({ input: stream })) if (line.startsWith(start)) break;
  stream.resume();
}

/** What the page has put where the unit looks for it, in this test's folder. Returns the configuration of nats-server. */
async function writeFiles(): Promise<string> {
  const login = nkeys.createUser();
  const etc = join(folder, 'etc/mcpx');
  for (const path of [etc, join(folder, 'var/lib/mcpx'), join(folder, 'run/mcpx-daemon')])
    await mkdir(path, { recursive: true });
  await chmod(join(folder, 'run/mcpx-daemon'), 0o700);
  const files = {
    'mcp_servers.yaml': 'mcp_servers: {}\n',
    'tools.yaml': 'tools: { all: { role_restrictions: { reader: { allowed_tools: ["*.read_*"] } } } }\n',
    'build-1.seed': new TextDecoder().decode(login.getSeed()),
    'nats-ca.crt': certificates.ca,
    'tls.crt': certificates.serverCert,
    'tls.key': certificates.serverKey,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(etc, name), text, { mode: 0o600 });
  const nodes = [{ node: 'build-1', nkey: login.getPublicKey() }];
  return `tls { cert_file: "${etc}/tls.crt", key_file: "${etc}/tls.key" }\n${natsAccountsConfig({ fleet: 'team', nodes })}`;
}
