import { createRegistry, type RoleRules } from '@x/mcp-registry';
import { textResult, tool } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.js';
import { gatewayWays } from './helpers/gateway-client.js';
import { openSdkUpstreams } from './helpers/sdk-upstreams.js';
import { createShelf } from './helpers/shelf-server.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const wide: RoleRules = [{ role: 'r', allowedTools: ['left', 'slow'] }];
const narrow: RoleRules = [{ role: 'r', allowedTools: ['left.only_left'] }];
const FIND = 'mcp__left__find';

describe.each(gatewayWays)('$name', ({ connect }) => {
  async function open(names: 'prefixed' | 'as-is' = 'prefixed') {
    const registry = createRegistry({ roles: wide });
    const left = createShelf('left');
    const upstreams = await openSdkUpstreams(registry, { left: left.server });
    let finish = () => {};
    let begin = () => {};
    const began = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const slow = registry.attach({
      name: 'slow',
      listTools: () => [tool('work')],
      callTool: () =>
        new Promise((resolve) => {
          finish = () => resolve(textResult('done'));
          begin();
        }),
    });
    await slow.ready;
    const gateway = createGateway({ registry, upstreams, names });
    opened.push(registry, upstreams, gateway);
    const client = await connect(gateway, { role: 'r' });
    opened.push(client);
    const tools = async (): Promise<string[]> =>
      (await client.request('tools/list')).tools.map(({ name }: { name: string }) => name);
    return { registry, left, client, tools, began, finish: () => finish() };
  }

  test.each([
    ['prefixed', FIND],
    ['as-is', 'find'],
  ] as const)('with %s names, a call of a tool that the role has lost has no effect', async (names, find) => {
    const { registry, left, client, tools } = await open(names);
    expect(await tools()).toContain(find);
    await client.request('tools/call', { name: find, arguments: {} });
    await client.request('resources/list');
    await client.request('prompts/list');
    const effects = left.requests.length;

    registry.update({ roles: narrow });
    const refused = client.request('tools/call', { name: find, arguments: {} });
    await expect(refused).rejects.toMatchObject({ code: -32_602 });
    await client.next('notifications/tools/list_changed');
    await client.next('notifications/resources/list_changed');
    await client.next('notifications/prompts/list_changed');
    expect(await tools()).not.toContain(find);
    expect((await client.request('resources/list')).resources).toEqual([]);
    expect((await client.request('prompts/list')).prompts).toEqual([]);
    const uri = names === 'as-is' ? 'book:///one' : 'mcp+left:book:///one';
    await expect(client.request('resources/read', { uri })).rejects.toThrow();
    expect(left.requests).toHaveLength(effects);

    registry.update({ roles: wide });
    await client.next('notifications/tools/list_changed');
    await client.request('tools/call', { name: find, arguments: {} });
    expect(left.requests).toHaveLength(effects + 1);
  });

  test('a call in progress finishes under the rules that admitted it', async () => {
    const { registry, client, tools, began, finish } = await open();
    const call = client.request('tools/call', { name: 'mcp__slow__work', arguments: {} });
    await began;
    registry.update({ roles: [] });
    expect(await tools()).toEqual([]);
    finish();
    expect((await call).content).toEqual([{ type: 'text', text: 'done' }]);
  });
});

test('with as-is names, a gateway follows changes of the rules', async () => {
  const registry = createRegistry({ roles: [{ role: 'r', allowedTools: ['left', 'right'] }] });
  const [left, right] = [createShelf('left'), createShelf('right')];
  const upstreams = await openSdkUpstreams(registry, { left: left.server, right: right.server });
  const gateway = createGateway({ registry, upstreams, names: 'as-is' });
  opened.push(registry, upstreams, gateway);
  const client = await gatewayWays[0]?.connect(gateway, { role: 'r' });
  if (client === undefined) throw new Error('There is no way');
  opened.push(client);
  await expect(client.request('tools/call', { name: 'find', arguments: {} })).rejects.toThrow();
  registry.update({ roles: [{ role: 'r', allowedTools: ['right'] }] });
  await client.request('tools/call', { name: 'find', arguments: {} });
  expect([left.requests.length, right.requests.length]).toEqual([0, 1]);
});
