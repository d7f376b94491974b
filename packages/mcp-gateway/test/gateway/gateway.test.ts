import { createRegistry, type Registry, type RoleRules } from '@x/mcp-registry';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway/gateway.js';
import type { GatewayOptions } from '../../src/gateway/gateway-options.js';
import type { GatewayProblem } from '../../src/gateway/upstream.js';
import { gatewayWays } from './helpers/gateway-client.js';
import { openSdkUpstreams } from './helpers/sdk-upstreams.js';
import { createShelf } from './helpers/shelf-server.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const roles: RoleRules = [
  { role: 'reader', allowedTools: ['left.find'], allowedResources: ['left.book:///one'], allowedPrompts: [] },
  { role: 'right', allowedTools: ['right'] },
];

async function open(options: Partial<GatewayOptions> = {}) {
  const registry: Registry = createRegistry({ roles });
  const [left, right] = [createShelf('left'), createShelf('right')];
  const upstreams = await openSdkUpstreams(registry, { left: left.server, right: right.server });
  const problems: GatewayProblem[] = [];
  const gateway: Gateway = createGateway({
    registry,
    upstreams,
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  opened.push(registry, upstreams, gateway);
  return { gateway, left, right, upstreams, problems, registry };
}

describe.each(gatewayWays)('$name', ({ connect, era, notFound }) => {
  const connectTo = async (...args: Parameters<typeof connect>) => {
    const client = await connect(...args);
    opened.push(client);
    return client;
  };

  test('lists and reads resources of all servers under names that contain the server', async () => {
    const { gateway } = await open();
    const client = await connectTo(gateway);
    const { resources } = await client.request('resources/list');
    expect(resources).toEqual([
      { uri: 'mcp+left:book:///one', name: 'One', mimeType: 'text/plain', _meta: { 'x/kept': [1] } },
      { uri: 'mcp+left:book:///two', name: 'Two', annotations: { priority: 0.5 } },
      expect.objectContaining({ uri: 'mcp+right:book:///one' }),
      expect.objectContaining({ uri: 'mcp+right:book:///two' }),
    ]);
    const { resourceTemplates } = await client.request('resources/templates/list');
    expect(resourceTemplates.map((template: { uriTemplate: string }) => template.uriTemplate)).toEqual([
      'mcp+left:book:///{name}{?page}',
      'mcp+right:book:///{name}{?page}',
    ]);
    const read = await client.request('resources/read', { uri: 'mcp+right:book:///three?page=2' });
    expect(read.contents).toEqual([{ uri: 'mcp+right:book:///three?page=2', text: 'right: book:///three?page=2' }]);
    expect(read._meta).toMatchObject({ 'x/uri': 'book:///three?page=2' });
  });

  test('forwards prompts and completions to their server, under its own names', async () => {
    const { gateway, left, right } = await open();
    const client = await connectTo(gateway);
    const { prompts } = await client.request('prompts/list');
    const names: string[] = prompts.map((prompt: { name: string }) => prompt.name);
    expect(names).toEqual([
      'mcp__left__summary',
      expect.stringMatching(/^mcp__left__odd_name___1_\d\w{12}$/),
      'mcp__right__summary',
      expect.stringMatching(/^mcp__right__odd_name___1_\d\w{12}$/),
    ]);
    expect(prompts[0]).toEqual({ name: 'mcp__left__summary', arguments: [{ name: 'of', required: true }] });
    const { messages } = await client.request('prompts/get', { name: names[2], arguments: { of: 'book:///two' } });
    expect(messages.map(({ content }: { content: unknown }) => content)).toEqual([
      { type: 'text', text: 'right summary of book:///two' },
      { type: 'resource', resource: { uri: 'mcp+right:book:///two', text: 'its text' } },
    ]);
    await client.request('prompts/get', { name: names[1] });
    expect(left.requests.at(-1)).toMatchObject({ method: 'prompts/get', params: { name: 'odd name / 1' } });

    const argument = { name: 'of', value: 'b' };
    const ofPrompt = await client.request('completion/complete', {
      ref: { type: 'ref/prompt', name: names[0] },
      argument,
    });
    expect(ofPrompt.completion).toEqual({ values: ['left summary b'], total: 1, hasMore: false });
    const ref = { type: 'ref/resource', uri: 'mcp+right:book:///{name}{?page}' };
    const context = { arguments: { page: '2' } };
    const ofResource = await client.request('completion/complete', { ref, argument, context });
    expect(ofResource.completion.values).toEqual(['right book:///{name}{?page} b']);
    expect(right.requests.at(-1)?.params).toMatchObject({ context });
  });

  test('a prompt can be requested before any list', async () => {
    const { gateway } = await open();
    const client = await connectTo(gateway);
    const { messages } = await client.request('prompts/get', { name: 'mcp__left__summary' });
    expect(messages).toHaveLength(2);
  });

  test('rewrites links in a tool’s result, but not its text, structured content and _meta', async () => {
    const { gateway } = await open();
    const client = await connectTo(gateway);
    const result = await client.request('tools/call', { name: 'mcp__right__find', arguments: {} });
    expect(result.content).toEqual([
      { type: 'text', text: 'book:///one' },
      { type: 'resource_link', uri: 'mcp+right:book:///one', name: 'One' },
      { type: 'resource', resource: { uri: 'mcp+right:book:///two', text: 'two' } },
    ]);
    expect(result).toMatchObject({ structuredContent: { uri: 'book:///one' }, _meta: { 'x/uri': 'book:///one' } });
  });

  test('forwards errors with the server’s code and data', async () => {
    const { gateway } = await open();
    const client = await connectTo(gateway);
    await expect(client.request('resources/read', { uri: 'mcp+left:book:///burnt' })).rejects.toMatchObject({
      code: -32_050,
      message: expect.stringContaining('It burnt'),
      data: { when: 'long ago' },
    });
    await expect(client.request('tools/call', { name: 'mcp__left__refuse', arguments: {} })).rejects.toMatchObject({
      code: -32_099,
      message: expect.stringContaining('Not today'),
      data: { until: 'tomorrow' },
    });
    for (const uri of ['mcp+nobody:x', 'book:///one']) {
      await expect(client.request('resources/read', { uri })).rejects.toMatchObject({ code: notFound, data: { uri } });
    }
    await expect(client.request('prompts/get', { name: 'mcp__left__none' })).rejects.toMatchObject({ code: -32_602 });
  });

  test('forwards progress, and cancels a cancelled call at its server', async () => {
    const { gateway, left } = await open();
    const client = await connectTo(gateway);
    const cancel = new AbortController();
    const progress: unknown[] = [];
    const call = client.request(
      'tools/call',
      { name: 'mcp__left__wait', arguments: {} },
      {
        signal: cancel.signal,
        onprogress: (told) => {
          progress.push(told);
          cancel.abort();
        },
      },
    );
    await expect(call).rejects.toThrow();
    await left.cancelled;
    expect(progress).toEqual([{ progress: 1, total: 2, message: 'waiting' }]);
  });

  test('notifies only subscribers of a changed resource', async () => {
    const { gateway, left, right } = await open();
    const client = await connectTo(gateway);
    const other = await connectTo(gateway);
    const unsubscribe = await client.subscribe('mcp+left:book:///one');
    const otherEnds = await other.subscribe('mcp+left:book:///one', 'mcp+right:book:///two');
    await until(() => left.subscribed.size === 1 && right.subscribed.size === 1);
    await right.update('book:///two');
    await left.update('book:///one');
    expect(await client.next('notifications/resources/updated')).toMatchObject({ uri: 'mcp+left:book:///one' });
    expect(await other.next('notifications/resources/updated')).toMatchObject({ uri: 'mcp+right:book:///two' });
    expect(await other.next('notifications/resources/updated')).toMatchObject({ uri: 'mcp+left:book:///one' });
    expect(client.untaken).toEqual([]);

    await unsubscribe();
    await left.update('book:///one');
    expect(await other.next('notifications/resources/updated')).toMatchObject({ uri: 'mcp+left:book:///one' });
    expect(client.untaken).toEqual([]);
    expect([...left.subscribed]).toEqual(['book:///one']);
    await otherEnds();
    await until(() => left.subscribed.size === 0 && right.subscribed.size === 0);
    const methods = left.requests.map(({ method }) => method);
    expect(methods).toEqual(['resources/subscribe', 'resources/unsubscribe']);
  });

  test('ends the subscriptions of a client that disconnects', async () => {
    const { gateway, left } = await open();
    const client = await connect(gateway);
    await client.subscribe('mcp+left:book:///one');
    await until(() => left.subscribed.size === 1);
    await client[Symbol.asyncDispose]();
    await until(() => left.subscribed.size === 0);
  });

  test('cancels the requests in progress of a closed connection', async () => {
    const { gateway, left } = await open();
    const client = await connect(gateway);
    const started = new Promise<void>((resolve) => {
      const call = { name: 'mcp__left__wait', arguments: {} };
      client.request('tools/call', call, { onprogress: () => resolve() }).catch(() => undefined); // it never ends well
    });
    await started;
    await client[Symbol.asyncDispose]();
    await left.cancelled;
  });

  test('notifies clients of changed lists, and reads them again', async () => {
    const { gateway, left, registry } = await open();
    const client = await connectTo(gateway);
    await client.request('resources/list');
    left.books = [{ uri: 'book:///new', name: 'New' }];
    await left.announce('resources');
    await client.next('notifications/resources/list_changed');
    const { resources } = await client.request('resources/list');
    expect(resources[0]).toEqual({ uri: 'mcp+left:book:///new', name: 'New' });
    await left.announce('prompts');
    await client.next('notifications/prompts/list_changed');
    registry.register({ name: 'new_tool', description: 'Is new' }, () => 'here');
    await client.next('notifications/tools/list_changed');
  });

  test('lists in pages', async () => {
    const { gateway } = await open({ pageSize: 3 });
    const client = await connectTo(gateway);
    const first = await client.request('resources/list');
    expect([first.resources.length, typeof first.nextCursor]).toEqual([3, 'string']);
    const second = await client.request('resources/list', { cursor: first.nextCursor });
    expect(second.resources.map(({ uri }: { uri: string }) => uri)).toEqual(['mcp+right:book:///two']);
    expect(second.nextCursor).toBeUndefined();
    await expect(client.request('resources/list', { cursor: 'none' })).rejects.toMatchObject({ code: -32_602 });
  });

  test('applies a role to resources, prompts, completions, subscriptions, logs and changes', async () => {
    const { gateway, left, right } = await open();
    const client = await connectTo(gateway, { role: 'reader' });
    const { resources } = await client.request('resources/list');
    expect(resources.map(({ uri }: { uri: string }) => uri)).toEqual(['mcp+left:book:///one']);
    expect((await client.request('resources/templates/list')).resourceTemplates).toEqual([]);
    expect((await client.request('prompts/list')).prompts).toEqual([]);
    expect((await client.request('resources/read', { uri: 'mcp+left:book:///one' })).contents).toHaveLength(1);

    const code = notFound;
    const refusal = (uri: string) => client.request('resources/read', { uri }).catch((error) => error);
    const forbidden = await refusal('mcp+left:book:///two');
    const unknown = await refusal('mcp+nobody:book:///two');
    expect([forbidden.code, unknown.code, forbidden.message]).toEqual([code, code, unknown.message]);
    await expect(client.request('prompts/get', { name: 'mcp__left__summary' })).rejects.toMatchObject({
      code: -32_602,
    });
    const ref = { type: 'ref/resource', uri: 'mcp+right:book:///{name}{?page}' };
    await expect(
      client.request('completion/complete', { ref, argument: { name: 'name', value: '' } }),
    ).rejects.toMatchObject({ code });

    await client.subscribe('mcp+left:book:///two').catch((error) => expect(error).toMatchObject({ code }));
    await client.subscribe('mcp+left:book:///one');
    await until(() => left.subscribed.size === 1);
    expect([...left.subscribed]).toEqual(['book:///one']);
    await right.announce('resources');
    await right.log('error', 'a secret');
    await left.log('error', 'another');
    await left.update('book:///one');
    await client.next('notifications/resources/updated');
    expect(client.untaken).toEqual([]);
  });

  test('forwards a server’s log to clients that may use all of it, at their own level', async () => {
    const { gateway, left, right } = await open();
    const client = await connectTo(gateway, { role: 'right' });
    if (era === 'legacy') {
      await client.request('logging/setLevel', { level: 'info' });
      expect([left.level, right.level]).toEqual([undefined, 'info']);
      await right.log('debug', 'too little');
      await left.log('error', 'not for them');
      await right.log('info', { text: 'for them' });
      const entry = { level: 'info', logger: 'right.desk', data: { text: 'for them' } };
      expect(await client.next('notifications/message')).toEqual(entry);
    } else {
      const _meta = { 'io.modelcontextprotocol/logLevel': 'info' };
      await client.request('tools/call', { name: 'mcp__right__find', arguments: {}, _meta });
      expect(right.level).toBe('info');
      const entry = { level: 'info', logger: 'right.desk', data: 'right looks' };
      expect(await client.next('notifications/message')).toMatchObject(entry);
      await client.request('tools/call', { name: 'mcp__right__find', arguments: {} });
    }
    expect(client.untaken).toEqual([]);
  });
});

/** Looks again whenever the event loop has come round. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
