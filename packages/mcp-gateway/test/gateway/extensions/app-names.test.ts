import { createRegistry } from '@x/mcp-registry';
import { createListSource, tool } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import { post } from '../helpers/raw-clients.js';
import { createWorker, upstreamsOf } from '../helpers/worker.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const APPS = { extensions: { 'io.modelcontextprotocol/ui': {} } };
const show = tool('show', { _meta: { ui: { resourceUri: 'ui://app' } } });
const refresh = tool('refresh', { _meta: { ui: { visibility: ['app'] } } });

function open(roles: Parameters<typeof createRegistry>[0] = {}, role?: string) {
  const registry = createRegistry(roles);
  const upstreams = upstreamsOf(...['left', 'right'].map((name) => createWorker(name)));
  const gateway = createGateway({ registry, upstreams: upstreams as never });
  const handler = gateway.handler({ allowAnonymous: true }, () => (role === undefined ? {} : { role }));
  opened.push(registry, gateway, handler);
  const attach = async (name: string, ...tools: readonly object[]) => {
    const attached = registry.attach(createListSource(name, tools));
    await attached.ready;
    return attached;
  };
  const call = async (name: string, capabilities: object = APPS) => {
    const params = { name, arguments: {} };
    const { result, error } = await post(handler, { method: 'tools/call', params, capabilities: { ...capabilities } });
    return result?.content[0].text ?? error.message;
  };
  const list = () => post(handler, { method: 'tools/list', capabilities: APPS });
  return { attach, call, list };
}

const several = (name: string, tools: string) =>
  `Tools of several servers have the name "${name}"; call one by its whole name: ${tools}`;

test('a server without an app has no part in the names of apps', async () => {
  const { attach, call } = open();
  await attach('left', refresh);
  expect(await call('refresh')).toContain('There is no tool named "refresh"');
  await attach('right', show, refresh);
  expect(await call('refresh')).toBe('right ran refresh');
  expect(await call('refresh', {})).toContain('There is no tool named "refresh"');
});

test('a tool for models alone has no part in them', async () => {
  const { attach, call } = open();
  await attach('left', show, tool('refresh', { _meta: { ui: { visibility: ['model'] } } }));
  expect(await call('refresh')).toContain('There is no tool named "refresh"');
  await attach('right', show, refresh);
  expect(await call('refresh')).toBe('right ran refresh');
});

test('a name that was listed goes to no other server, not even when its own is gone', async () => {
  const { attach, call, list } = open();
  const left = await attach('left', show, refresh);
  await list();
  await attach('right', show, refresh);
  expect(await call('refresh')).toBe(several('refresh', 'mcp__left__refresh, mcp__right__refresh'));
  left[Symbol.dispose]();
  expect(await call('refresh')).toBe(several('refresh', 'mcp__right__refresh'));
  await attach('left', show, refresh);
  expect(await call('mcp__left__refresh')).toBe('left ran refresh');
});

test('a name of the gateway comes first', async () => {
  const { attach, call } = open();
  await attach('left', show, tool('mcp__right__refresh'), tool('search_mcp_tools'));
  await attach('right', show, refresh);
  expect(await call('mcp__right__refresh')).toBe('right ran refresh');
  expect(await call('search_mcp_tools')).not.toContain('left ran');
});

test('a tool that a role may not use takes no name from it', async () => {
  const roles = [{ role: 'guest', allowedTools: ['right', 'left.show'] }];
  const { attach, call } = open({ roles }, 'guest');
  await attach('left', show, refresh, tool('hidden'));
  await attach('right', show, refresh);
  expect(await call('refresh')).toBe('right ran refresh');
  expect(await call('hidden')).toBe((await call('never')).replace('never', 'hidden'));
});
