import { createRegistry, type RoleRules } from '@x/mcp-registry';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.js';
import { type GatewayClient, gatewayWays } from './helpers/gateway-client.js';
import { post } from './helpers/raw-clients.js';
import { openSdkUpstreams } from './helpers/sdk-upstreams.js';
import { createShelf } from './helpers/shelf-server.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

// Of "left" a guest may use one tool, and so neither its other tools nor its resources and prompts.
const roles: RoleRules = [
  { role: 'guest', allowedTools: ['right', 'left.only_left'] },
  { role: 'admin', allowedTools: ['left', 'right'] },
];

type Route = readonly [name: string, ask: (client: GatewayClient) => Promise<unknown>];

const call = (name: string, more: Record<string, unknown> = {}): Route[1] => {
  return (client) => client.request('tools/call', { name, arguments: {}, ...more });
};
const search = (args: Record<string, unknown>) => call('search_mcp_tools', { arguments: args });
const byName = (name: unknown) => call('call_mcp_tool', { arguments: { name, arguments: {} } });
const read = (uri: string): Route[1] => {
  return (client) => client.request('resources/read', { uri });
};
const prompt = (name: string): Route[1] => {
  return (client) => client.request('prompts/get', { name, arguments: { of: 'x' } });
};
const complete = (ref: Record<string, unknown>): Route[1] => {
  return (client) => client.request('completion/complete', { ref, argument: { name: 'of', value: 'x' } });
};

const routes: readonly Route[] = [
  ['tools/list', (client) => client.request('tools/list')],
  ['tools/list with a cursor that was guessed', (client) => client.request('tools/list', { cursor: '0' })],
  ['the public name', call('mcp__left__find')],
  ['server.tool', call('left.find')],
  ['server/tool', call('left/find')],
  ['the own name', call('find')],
  ['another case', call('MCP__LEFT__FIND')],
  ['another case of the server', call('mcp__Left__find')],
  ['a space after it', call('mcp__left__find ')],
  ['a space before it', call(' mcp__left__find')],
  ['a line break after it', call('mcp__left__find\n')],
  ['a character that does not show', call('mcp__left__find\u200b')],
  ['a full-width letter', call('mcp__left__\uff46ind')],
  ['one underscore more', call('mcp__left___find')],
  ['no prefix', call('left__find')],
  ['two prefixes', call('mcp__mcp__left__find')],
  ['a way up from an allowed server', call('mcp__right__../left/find')],
  ['the name of something that every object has', call('constructor')],
  ['arguments that name another role', call('mcp__left__find', { arguments: { role: 'admin' } })],
  ['_meta that names another role', call('mcp__left__find', { _meta: { role: 'admin', principal: 'root' } })],
  ['parameters that name another role', call('mcp__left__find', { role: 'admin', caller: { role: 'admin' } })],
  ['a task', call('mcp__left__find', { task: { ttl: 1_000 } })],
  ['answers to questions that nobody asked', call('mcp__left__find', { inputResponses: {}, requestState: 'x' })],
  ['search by words', search({ query: 'find' })],
  ['search by name', search({ query: 'mcp__left__find', detail: 'full' })],
  ['search for everything', search({ query: '*', limit: 100, detail: 'full' })],
  ['search by a regular expression', search({ query: 'left__f.nd', use_regex: true })],
  ['search on one server', search({ query: '', server: 'left', detail: 'full' })],
  ['call_mcp_tool', byName('mcp__left__find')],
  ['call_mcp_tool with server.tool', byName('left.find')],
  ['call_mcp_tool through itself', byName('call_mcp_tool')],
  ['call_mcp_tool with a list of names', byName(['mcp__left__find'])],
  ['resources/list', (client) => client.request('resources/list')],
  ['resources/templates/list', (client) => client.request('resources/templates/list')],
  ['a resource', read('mcp+left:book:///two')],
  ['a resource through a template', read('mcp+left:book:///any?page=1')],
  ['a resource in another case', read('MCP+LEFT:book:///two')],
  ['a resource with an encoded server', read('mcp+%6ceft:book:///two')],
  ['a resource of the allowed server with a way up', read('mcp+right:../mcp+left:book:///two')],
  ['a resource with two prefixes', read('mcp+right:mcp+left:book:///two')],
  ['prompts/list', (client) => client.request('prompts/list')],
  ['a prompt', prompt('mcp__left__summary')],
  ['a prompt as server.prompt', prompt('left.summary')],
  ['a prompt as server/prompt', prompt('left/summary')],
  ['completion of a prompt', complete({ type: 'ref/prompt', name: 'mcp__left__summary' })],
  ['completion of a template', complete({ type: 'ref/resource', uri: 'mcp+left:book:///{name}{?page}' })],
  ['completion of a resource', complete({ type: 'ref/resource', uri: 'mcp+left:book:///two' })],
  ['resources/subscribe', (client) => client.request('resources/subscribe', { uri: 'mcp+left:book:///two' })],
  ['resources/unsubscribe', (client) => client.request('resources/unsubscribe', { uri: 'mcp+left:book:///two' })],
  ['tasks/get', (client) => client.request('tasks/get', { taskId: 'left' })],
  ['tasks/result', (client) => client.request('tasks/result', { taskId: 'left' })],
  ['tasks/list', (client) => client.request('tasks/list')],
  ['an app', read('ui://mcp+left/two')],
  ['an app of the allowed server with a way up', read('ui://mcp+right/../mcp+left/two')],
  ['skills/list', (client) => client.request('skills/list')],
  ['skills/get', (client) => client.request('skills/get', { uri: 'skill://mcp+left/two/SKILL.md' })],
  ['a directory', (client) => client.request('resources/directory/read', { uri: 'mcp+left:book:///two' })],
  ['a method that is passed on to a server', (client) => client.request('left/find', { server: 'left' })],
];

/** What would show that something of the server came through. */
const TRACES = /left__find|left__summary|mcp\+left|book:\/\/\/t|left looks|left: |left summary/;

/** What was asked for, in the refusal or in the answer of the server that may be used. */
const ECHOES =
  /There is no tool named \\*"[^"]*"|mcp\+right:[^"]*|ui:\/\/mcp\+right[^"]*|right: [^"]*|"x\/uri":"[^"]*"/g;

describe.each(gatewayWays)('$name', ({ connect, era }) => {
  test(`none of ${routes.length} routes around a role reaches what it may not use`, async () => {
    for (const surface of ['full', 'search'] as const) {
      const registry = createRegistry({ roles });
      const [left, right] = [createShelf('left'), createShelf('right')];
      const upstreams = await openSdkUpstreams(registry, { left: left.server, right: right.server });
      const gateway = createGateway({ registry, upstreams, surface });
      opened.push(registry, upstreams, gateway);
      const client = await connect(gateway, { role: 'guest' });
      opened.push(client);
      if (era === 'legacy') await client.request('logging/setLevel', { level: 'debug' });
      await left.log('error', 'left: a secret');
      await left.update('book:///two');

      for (const [name, ask] of routes) {
        // A client refuses some methods by itself, at once.
        const answer = await Promise.resolve(client)
          .then(ask)
          .catch((error: Error) => ({ refused: error.message }));
        const told = JSON.stringify('refused' in (answer as object) ? {} : answer);
        expect(told.replaceAll(ECHOES, ''), `${surface}: ${name}`).not.toMatch(TRACES);
        const effects = left.requests.map(({ method }) => method);
        expect(effects, `${surface}: ${name}`).toEqual([]);
      }
      expect(left.subscribed).toEqual(new Set());
      expect(left.level).toBeUndefined();
      expect(JSON.stringify(client.untaken)).not.toMatch(TRACES);

      // The table can fail: what the role may use is reached in the same ways.
      await client.request('tools/call', { name: 'mcp__left__only_left', arguments: {} });
      await client.request('resources/read', { uri: 'mcp+right:book:///two' });
      expect([left.requests.length, right.requests.length > 0]).toEqual([1, true]);
    }
  });
});

test('headers and the session of another caller change no role', async () => {
  const registry = createRegistry({ roles });
  const left = createShelf('left');
  const upstreams = await openSdkUpstreams(registry, { left: left.server });
  const gateway = createGateway({ registry, upstreams });
  const handler = gateway.handler({ verifyToken: (token) => ({ id: token }) }, ({ id }) => ({ role: id }));
  opened.push(registry, upstreams, gateway, handler);
  const tool = { method: 'tools/call', params: { name: 'mcp__left__find', arguments: {} }, token: 'guest' };
  const claims = { role: 'admin', 'io.modelcontextprotocol/role': 'admin', principal: 'admin', token: 'admin' };
  expect((await post(handler, { ...tool, meta: claims })).error).toMatchObject({ code: -32_602 });

  const send = (token: string, headers: Record<string, string>, message: Record<string, unknown>) =>
    handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${token}`,
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      }),
    );
  const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1.0.0' } };
  const sessionOf = async (token: string) => {
    const opened = await send(token, {}, { id: 1, method: 'initialize', params: opening });
    await opened.text();
    return opened.headers.get('mcp-session-id') ?? '';
  };
  const sessions = { admin: await sessionOf('admin'), guest: await sessionOf('guest') };
  expect(sessions.admin).not.toBe('');
  const asked = { id: 2, method: 'tools/call', params: tool.params };
  for (const headers of [
    { 'mcp-session-id': sessions.admin },
    { 'mcp-session-id': sessions.guest, 'x-role': 'admin', role: 'admin', 'x-mcp-role': 'admin' },
    { 'mcp-session-id': sessions.guest, 'mcp-name': 'mcp__left__only_left', 'mcp-method': 'tools/list' },
    { 'mcp-session-id': sessions.guest, 'x-forwarded-user': 'admin', 'x-forwarded-authorization': 'Bearer admin' },
  ]) {
    const answer = await send('guest', headers, asked);
    expect(await answer.text()).not.toContain('book:///one');
  }
  expect(left.requests).toEqual([]);
  const allowed = await send('admin', { 'mcp-session-id': sessions.admin }, asked);
  expect(await allowed.text()).toContain('book:///one');
  expect(left.requests).toHaveLength(1);
});

test('no call passes while rules change that both forbid it', async () => {
  const registry = createRegistry({ roles });
  const left = createShelf('left');
  const upstreams = await openSdkUpstreams(registry, { left: left.server });
  const gateway = createGateway({ registry, upstreams });
  opened.push(registry, upstreams, gateway);
  const client = await gatewayWays[3]?.connect(gateway, { role: 'guest' });
  if (client === undefined) throw new Error('There is no way');
  opened.push(client);
  const outcomes: Promise<'answered' | 'refused'>[] = [];
  const attempt = (name: string) =>
    call(name)(client).then(
      () => 'answered' as const,
      () => 'refused' as const,
    );
  for (let round = 0; round < 50; round++) {
    outcomes.push(attempt('mcp__left__find'), attempt('mcp__left__refuse'));
    const allowed = round % 2 === 0 ? 'left.only_left' : 'left.wait';
    registry.update({ roles: [{ role: 'guest', allowedTools: [allowed] }] });
    if (round % 10 === 0) await client.request('tools/list');
  }
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['refused']));
  expect(left.requests).toEqual([]);
});
