// The installed `mcpx`, as real processes: a config from nothing, a daemon, calls, the dashboard's page, stdio, the end.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { installedMcpx } from './installed-mcpx.mjs';

const here = await realpath(await mkdtemp(join(tmpdir(), 'use-mcpx-')));
const config = { mcp_servers: { greeter: { command: process.execPath, args: [resolve('server.mjs')] } } };
const env = {
  PATH: process.env.PATH,
  MCPX_TRUST: '1',
  HOME: here,
  USERPROFILE: here,
  XDG_RUNTIME_DIR: join(here, 'run'),
};
const { program, outcome, text, json } = await installedMcpx({ cwd: here, env });

try {
  await mkdir(env.XDG_RUNTIME_DIR, { mode: 0o700 });
  await writeFile(join(here, 'mcp_servers.yaml'), JSON.stringify(config));
  await useDaemon();
  await useStdio();
} finally {
  await rm(here, { recursive: true, force: true, maxRetries: 3 });
}

async function useDaemon() {
  await text('validate');
  deepEqual(
    (await json('status')).servers.map(({ name, pid }) => ({ name, pid })),
    [{ name: 'greeter', pid: undefined }],
  );
  try {
    await text('up');
    match(await text('call', 'greeter.greet', 'name=Ada'), /Hello, Ada/);
    match(await text('search', 'greets', 'somebody'), /mcp__greeter__greet/);
    const wrong = await outcome('call', 'mcp__greeter__gret', '{}');
    ok(wrong.code !== 0 && /mcp__greeter__greet/.test(wrong.stderr), 'a wrong name is answered with the right one');
    const { daemon, servers } = await json('status');
    ok(daemon.pid > 0 && servers[0].pid > 0, 'the daemon and its server have processes');
    const { url } = await json('dashboard', '--no-open');
    match(await (await fetch(url)).text(), /<script type="module"/);
    await text('down');
    ok(!isRunning(daemon.pid) && !isRunning(servers[0].pid), 'nothing is left of the daemon and its server');
  } finally {
    await outcome('down');
  }
}

/** As a host app starts it. */
async function useStdio() {
  const child = spawn(process.execPath, [program, 'serve', '--own-servers', 'greeter'], {
    cwd: here,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((settle) => child.once('exit', settle));
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line);
    waiting.get(id)?.(result);
  });
  const request = (id, method, params) =>
    new Promise((settle, fail) => {
      waiting.set(id, settle);
      ended.then((code) => fail(new Error(`mcpx serve has ended with code ${code} during ${method}`)));
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'consumer', version: '1' } };
  await request(1, 'initialize', client);
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  const { tools } = await request(2, 'tools/list', {});
  ok(tools.some(({ name }) => name === 'mcp__greeter__greet'));
  const { content } = await request(3, 'tools/call', { name: 'mcp__greeter__greet', arguments: { name: 'Grace' } });
  equal(content[0].text, 'Hello, Grace');
  child.stdin.end();
  equal(await ended, 0);
}

/** What has ended and is not collected yet, as where nobody does that for orphans, is not running. */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
