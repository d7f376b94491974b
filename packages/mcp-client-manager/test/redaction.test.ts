import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { ManagerError } from '../src/errors.js';
import type { ClientManager } from '../src/manager.js';
import { noRedaction, redactData, redactError } from '../src/redaction.js';
import { failureOf, fixtureSpec, managerWith } from './helpers/servers.js';

afterEach(expectNoLeaks);

const secret = 'seekrit-value-1';
const options = { redact: (text: string) => text.replaceAll(secret, '***') };

/** All further output of the manager as text: events, status, and additions. */
function listenTo(manager: ClientManager): { all(...more: readonly unknown[]): string } {
  const told: unknown[] = [];
  for (const name of ['server-state', 'server-junk', 'server-log', 'server-stderr', 'tools-changed'] as const)
    manager.events.on(name, (event) => void told.push(event));
  return {
    all: (...more) =>
      inspect([told, manager.status(), ...more], { depth: 20, showHidden: true, maxStringLength: null }),
  };
}

test('a secret that a server repeats reaches no event, error or status field', async () => {
  const log = { level: 'error', data: { header: [`Bearer ${secret}`], [secret]: 1 } };
  const noise = [
    `debug: token is ${secret}`,
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: log }),
  ];
  const error = { code: -32_000, message: `bad token ${secret}`, data: { token: [secret] } };
  const script = { initialize: { capabilities: { tools: {}, logging: {} } }, noise, call: { error } };
  await using manager = managerWith(options, fixtureSpec('scripted.mjs', [JSON.stringify(script)]));
  const logged = new Promise((resolve) => manager.events.on('server-log', resolve));
  const told = listenTo(manager);
  const failure = await failureOf(manager.callTool('fixture', 'act'));
  await logged;
  expect(failure).toMatchObject({ code: 'server-error', rpc: { message: 'bad token ***', data: { token: ['***'] } } });
  const all = told.all(failure);
  expect(all).toContain('debug: token is ***');
  expect(all).toContain('Bearer ***');
  expect(all).not.toContain(secret);
});

test.each([
  ['a handshake that is refused', { initialize: { error: { code: -32_000, message: `no: ${secret}`, data: secret } } }],
  ['a list that is refused', { tools: { error: { code: -32_000, message: `no: ${secret}` } } }],
])('a secret in %s shows nowhere', async (_, script) => {
  const spec = fixtureSpec('scripted.mjs', [JSON.stringify(script)], { restart: { onFailure: false } });
  await using manager = managerWith(options, spec);
  const told = listenTo(manager);
  const failure = await manager
    .server('fixture')
    .discoverTools()
    .catch((error: unknown) => error);
  const all = told.all(failure, inspect(failure));
  expect(all).toContain('no: ***');
  expect(all).not.toContain(secret);
});

test.each([404, 500])('request data that an HTTP server repeats with status %i shows nowhere', async (status) => {
  const server = createServer((request, response) => {
    response.writeHead(status, { 'content-type': 'text/plain' });
    response.end(`you sent ${request.headers.authorization}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/${secret}/mcp`;
    const headers = { authorization: `Bearer ${secret}` };
    await using manager = managerWith(options, { name: 'web', url, headers, restart: { onFailure: false } });
    const told = listenTo(manager);
    const failure = await failureOf(manager.server('web').start());
    expect(told.all(failure, inspect(failure))).not.toContain(secret);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

test('data that is nested without end is cut off', () => {
  const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown;
  expect(JSON.stringify(redactData(deep, (text) => text))).toMatch(/^\[{50}"\[nested too deeply\]"\]{50}$/);
  expect(redactData({ a: [1, 'x', null, true] }, (text) => `<${text}>`)).toEqual({ '<a>': [1, '<x>', null, true] });
  expect(redactData({ one: 1n, two: 'x' }, () => '***')).toEqual({ '***': '***', '*** (2)': '1' });
});

test('a redactor that throws shows nothing, and every call still settles', async () => {
  const broken = (): string => {
    throw new Error('broken');
  };
  const error = { code: -32_000, message: `bad token ${secret}` };
  const script = { noise: [`debug: ${secret}`], call: { error } };
  await using manager = managerWith({ redact: broken }, fixtureSpec('scripted.mjs', [JSON.stringify(script)]));
  const told = listenTo(manager);
  const failure = await failureOf(manager.callTool('fixture', 'act', {}, { timeoutMs: 5_000 }));
  expect(failure).toMatchObject({ code: 'server-error', rpc: { code: -32_000 } });
  expect(told.all(failure)).not.toContain(secret);
});

test('a failure is the same one without a redactor, and a copy with the same facts with one', () => {
  const cause = Object.assign(new TypeError(`Bearer ${secret}`), { code: 'EBAD', spawnargs: [secret] });
  const error = new ManagerError('busy', `no ${secret}`, { server: 'a', retryAfterMs: 5, stderrTail: [secret], cause });
  expect(redactError(error, noRedaction)).toBe(error);
  const told = redactError(error, options.redact) as ManagerError;
  expect(told).toMatchObject({ code: 'busy', message: 'no ***', server: 'a', retryAfterMs: 5, retryable: true });
  expect(told.cause).toMatchObject({ name: 'TypeError', code: 'EBAD', message: 'Bearer ***' });
  expect(inspect(told, { depth: 10, showHidden: true })).not.toContain(secret);
});
