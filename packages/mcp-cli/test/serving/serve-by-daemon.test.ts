import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expectNoLeaks } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { endDaemon } from '../../src/daemon/end-daemon.js';
import { findDaemon } from '../../src/daemon/find-daemon.js';
import { sendSignal } from '../../src/daemon/system-process.js';
import { mcpxProgram } from '../helpers/daemon-programs.js';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { connectHttp } from '../helpers/http-client.js';
import { faultsOf } from '../helpers/output-schema.js';
import { callText, clientOn, serveOn } from '../helpers/served-client.js';
import { obeyed, onStage } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';

const servers = [
  { name: 'echo', server: 'echo' },
  { name: 'asks', server: 'asks-host' },
  { name: 'slow', server: 'slow' },
  { name: 'rests', server: 'echo', fields: { auto_start: false } },
] as const;

const pidOf = (client: Parameters<typeof callText>[0]) => callText(client, 'mcp__echo__pid');

describe('clients of one daemon', () => {
  let stage: DaemonStage;
  beforeAll(async () => {
    stage = await daemonStage(servers);
  });
  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
    await expectNoLeaks();
  });

  test('have one set of servers, which outlives a client that is killed', async () => {
    await using one = await clientOn(stage);
    const child = spawn(process.execPath, [mcpxProgram(), 'serve'], {
      cwd: stage.folder,
      env: { ...stage.io.env, XDG_DATA_HOME: stage.io.stateDirectory },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const clientInfo = { name: 'killed', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    await once(createInterface({ input: child.stdout }), 'line');
    const pid = await pidOf(one.client);
    expect((await stage.processes()).filter(({ command }) => command.includes('echo'))).toHaveLength(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await using other = await clientOn(stage);
    expect(await pidOf(other.client)).toBe(pid);
    expect(await pidOf(one.client)).toBe(pid);
  });

  test('see what the role may use, servers by their names, and nothing else', async () => {
    await using named = await clientOn(stage, ['rests']);
    const { tools } = await named.client.listTools();
    expect(new Set(tools.map(({ name }) => name.split('__')[1]))).toEqual(new Set([undefined, 'rests']));
    expect(await callText(named.client, 'mcp__rests__echo', { text: 'hello' })).toBe('hello');
    expect(named.command.stderr()).not.toContain('asks');
  });

  test('answer the questions of servers in their own calls', async () => {
    const options = { capabilities: { elicitation: { form: {} } } };
    await using asked = await clientOn(stage, [], options);
    await using other = await clientOn(stage, [], options);
    asked.client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'ada' } }));
    other.client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
    const schema = { type: 'object', properties: { name: { type: 'string' } } };
    const form = { mode: 'form', message: 'Who?', requestedSchema: schema };
    const question = { method: 'elicitation/create', params: form };
    expect(await callText(asked.client, 'mcp__asks__ask', question)).toContain('ada');
    expect(await callText(other.client, 'mcp__asks__ask', question)).toContain('decline');
  });

  test('are asked before the calls of --ask-before', async () => {
    await using asked = await clientOn(stage, ['--ask-before', 'echo.echo', '--ask-before', 'nothing.such'], {
      capabilities: { elicitation: { form: {} } },
    });
    const questions: string[] = [];
    asked.client.setRequestHandler('elicitation/create', ({ params: { message } }) => {
      questions.push(message);
      return { action: 'decline' };
    });
    const { isError } = await asked.client.callTool({ name: 'mcp__echo__echo', arguments: { text: 'x' } });
    expect({ isError, questions: questions.length }).toEqual({ isError: true, questions: 1 });
    expect(asked.command.stderr()).toContain('--ask-before nothing.such matches none');
    await using free = await clientOn(stage);
    expect(await callText(free.client, 'mcp__echo__echo', { text: 'x' })).toBe('x');
  });

  test('get the answers to open requests after an interruption, and nothing of others is touched', async () => {
    await using other = await clientOn(stage);
    const one = await clientOn(stage);
    const answer = callText(one.client, 'mcp__slow__wait', { ms: 300 });
    await one.client.ping();
    one.command.interrupt();
    expect(await answer).toBe('waited 300 ms');
    expect(await one.command.ended).toBe(exitCodes.ok);
    expect(one.command.stderr()).toContain('Shutting down.');
    await other.client.ping();
  });

  test('of both eras, over stdio and HTTP, are in "mcpx calls" with their names', async () => {
    const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;
    await using old = await clientOn(stage, [], { name: 'old\u001b[2J\u202e' });
    await using recent = await clientOn(stage, [], { name: 'recent', ...modern });
    await callText(old.client, 'mcp__echo__pid');
    await callText(recent.client, 'mcp__echo__echo', { text: 'x' });
    const command = serveOn(stage, ['--http', '--port', '0', '--no-token']);
    const [, url = ''] = await until(() => /Serving \d servers at (\S+)\n/.exec(command.stderr()) ?? undefined);
    for (const generation of ['2.x of 2025', '2.x of 2026-07-28'] as const) {
      await using web = await connectHttp(url, { generation });
      await callText(web.client, 'mcp__echo__pid');
    }
    command.interrupt();
    await command.ended;
    await onStage(stage, ['call', 'echo.pid']);
    const document = JSON.parse((await onStage(stage, ['calls', '--json'])).stdout);
    expect(faultsOf('calls', document)).toEqual([]);
    const [pid, echo] = [
      { tool: 'mcp__echo__pid', server: 'echo', outcome: 'ok' },
      { tool: 'mcp__echo__echo', server: 'echo', outcome: 'ok' },
    ];
    expect(document.calls.slice(-5)).toMatchObject([
      { ...pid, client: 'old\u001b[2J\u202e 1.0.0' },
      { ...echo, client: 'recent 1.0.0' },
      { ...pid, client: 'official 1.0.0' },
      { ...pid, client: 'official 1.0.0' },
      { ...pid, client: expect.stringMatching(/^mcpx \d/) },
    ]);
    const { stdout } = await onStage(stage, ['calls']);
    expect(stdout).toMatch(/Z {2}old 1\.0\.0 +- +mcp__echo__pid +ok +\d+ ms\n/);
    expect(stdout).not.toMatch(obeyed);
  });

  test('that end stdin end the serving; their calls are cancelled', async () => {
    await using other = await clientOn(stage);
    const one = await clientOn(stage);
    const call = callText(one.client, 'mcp__slow__wait', { ms: 60_000 }).catch(() => 'cut off');
    await one.client.ping();
    one.command.stdin.end();
    expect(await one.command.ended).toBe(exitCodes.ok);
    expect(await call).toBe('cut off');
    await until(async () => (await callText(other.client, 'mcp__slow__cancelled')) !== '[]');
  });

  test.each([
    [['--role', 'nobody'], exitCodes.usage, 'No role is named "nobody".'],
    [['nosuch'], exitCodes.notFound, 'No server is named "nosuch".'],
    [['--metrics-token-file', 'none.token', '--http'], exitCodes.usage, 'none.token'],
  ])('are refused what the daemon cannot serve: %j', async (args, exitCode, message) => {
    const command = serveOn(stage, args);
    expect(await command.ended).toBe(exitCode);
    expect(command.stderr()).toContain(message);
  });

  test('are in the metrics of one served over HTTP, each in its requests and its session', async () => {
    await using before = await clientOn(stage);
    await before.client.ping();
    const authorization = 'Bearer the-token-of-the-scraper';
    await writeFile(join(stage.folder, 'scrape.token'), authorization.slice('Bearer '.length), { mode: 0o600 });
    const command = serveOn(stage, ['--http', '--port', '0', '--no-token', '--metrics-token-file', 'scrape.token']);
    const [, url = ''] = await until(() => /Serving \d servers at (\S+)\n/.exec(command.stderr()) ?? undefined);
    const metrics = new URL('/metrics', url);
    expect((await fetch(metrics)).status).toBe(401);
    await callText(before.client, 'mcp__echo__echo', { text: 'x' });
    const text = await (await fetch(metrics, { headers: { authorization } })).text();
    expect(text).toMatch(/^mcp_server_operation_duration_seconds_count\{[^}]*"mcp__echo__echo"[^}]*\} 1$/m);
    expect(text).toMatch(/^mcp_client_operation_duration_seconds_count\{[^}]*mcpx_server="echo"[^}]*\} 1$/m);
    expect(text).toContain('mcpx_server_state{mcpx_server="echo",mcpx_server_state="running"} 1\n');
    before.command.stdin.end();
    await before.command.ended;
    const after = await (await fetch(metrics, { headers: { authorization } })).text();
    expect(after).toMatch(/^mcp_server_session_duration_seconds_count\{[^}]*\} 1$/m);
    command.interrupt();
    expect(await command.ended).toBe(exitCodes.ok);
  });

  test('over HTTP are served by the daemon as long as the command runs', async () => {
    const command = serveOn(stage, ['--http', '--port', '0', '--no-token']);
    const [, url = ''] = await until(() => /Serving \d servers at (\S+)\n/.exec(command.stderr()) ?? undefined);
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'curl', version: '1' },
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const response = await fetch(url, { method: 'POST', headers, body });
    expect(await response.text()).toContain('"serverInfo"');
    command.hangUp();
    command.interrupt();
    expect(await command.ended).toBe(exitCodes.ok);
    await expect(fetch(url)).rejects.toThrow();
  });

  test('over HTTP get their answers after the command is killed, while the port is free', async () => {
    await using stage = await daemonStage(servers);
    const child = spawn(process.execPath, [mcpxProgram(), 'serve', '--http', '--port', '0', '--no-token'], {
      cwd: stage.folder,
      env: { ...stage.io.env, XDG_DATA_HOME: stage.io.stateDirectory },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const [, url = ''] = await until(() => /Serving \d servers at (\S+)\n/.exec(stderr) ?? undefined);
    const client = new Client({ name: 'official', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const answer = callText(client, 'mcp__slow__wait', { ms: 2_000 });
    await client.ping();
    let isOver = false;
    void answer.finally(() => {
      isOver = true;
    });
    child.kill('SIGKILL');
    await until(() => isRefused(url));
    expect(isOver).toBe(false);
    expect(await answer).toBe('waited 2000 ms');
    await client.close();
  });
});

/** True if nothing listens at the port of `url`. */
async function isRefused(url: string): Promise<boolean> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port) });
  try {
    await once(socket, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
}

test('without a daemon, serving starts one, which ends by itself', async () => {
  await using stage = await daemonStage();
  await using one = await clientOn(stage);
  expect(await pidOf(one.client)).toMatch(/^\d+$/);
  await using control = await findDaemon({}, stage.io);
  expect((await control?.status())?.servers).toMatchObject([{ name: 'echo', state: 'running' }]);
});

test.each([
  ['mcpx down', /The daemon was stopped/],
  ['a crash', /The daemon ended while it served/],
])(
  'the end of the daemon by %s ends every serving with the reason, and the next client is served',
  async (how, why) => {
    await using stage = await daemonStage();
    await using one = await clientOn(stage);
    const web = serveOn(stage, ['--http', '--port', '0', '--no-token']);
    await until(() => web.stderr().includes('Serving'));
    const before = await pidOf(one.client);
    const { phase } = await stage.state();
    if (how === 'mcpx down') await endDaemon({}, stage.io);
    else if (phase.name === 'ready') sendSignal(phase.worker, 'SIGKILL');
    for (const command of [one.command, web]) {
      expect(await command.ended).toBe(exitCodes.failed);
      expect(command.stderr()).toMatch(why);
    }
    await using next = await clientOn(stage);
    expect(await pidOf(next.client)).not.toBe(before);
  },
);

test('without a daemon, there are no calls to list', async () => {
  await using stage = await daemonStage();
  const { exitCode, stderr } = await onStage(stage, ['calls']);
  expect(exitCode).toBe(exitCodes.failed);
  expect(stderr).toContain('No daemon is running for this config, so no calls are recorded.');
});

test('without a place for a daemon, serving names the way without one', async () => {
  await using stage = await daemonStage();
  const { exitCode, stderr } = await onStage(stage, ['serve'], {
    env: { MCPX_TRUST: '1' },
    stateDirectory: undefined as never,
  });
  expect(exitCode).toBe(exitCodes.failed);
  expect(stderr).toContain('--own-servers');
});
