import { createRegistry } from '@x/mcp-registry';
import { afterEach, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import type { GatewayProblem, UpstreamEntry, UpstreamListing } from '../../../src/gateway/upstream.js';
import { type GatewayClient, gatewayWays } from '../helpers/gateway-client.js';
import { complete, createPlainUpstream } from '../helpers/plain-upstream.js';
import { openSdkUpstreams } from '../helpers/sdk-upstreams.js';
import { createShelf } from '../helpers/shelf-server.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const INCOMPLETE = 'mcp-registry/incomplete';
const stdioLegacy = gatewayWays[1];

interface OpenOptions {
  readonly listChanged?: boolean;
  readonly role?: string;
  readonly listTimeoutMs?: number;
}

async function open({ listChanged = false, role, ...options }: OpenOptions = {}) {
  const registry = createRegistry({ roles: [{ role: 'left', allowedTools: ['left'] }] });
  const upstreams = await openSdkUpstreams(registry, { left: createShelf('left').server });
  const odd = createPlainUpstream('odd', { listChanged });
  upstreams.add(odd);
  const problems: GatewayProblem[] = [];
  const gateway = createGateway({
    registry,
    upstreams,
    ...options,
    onProblem: (problem) => problems.push(problem),
  });
  const client = (await stdioLegacy?.connect(gateway, role === undefined ? {} : { role })) as GatewayClient;
  opened.push(registry, upstreams, gateway, client);
  const urisOf = async (method = 'resources/list') => {
    const { resources, resourceTemplates, _meta } = await client.request(method);
    return [(resources ?? resourceTemplates).map((each: { uri: string }) => each.uri), _meta?.[INCOMPLETE]];
  };
  return { registry, gateway, upstreams, odd, problems, client, urisOf };
}

const LEFT = ['mcp+left:book:///one', 'mcp+left:book:///two'];
const ODD = 'mcp+odd:a:1';

test('a server that hangs delays no list, is reported as missing, and its list is announced when it arrives', async () => {
  const { odd, problems, client, urisOf } = await open({ listTimeoutMs: 300 });
  expect(await urisOf()).toEqual([[...LEFT, ODD], undefined]);

  let answer = (_: UpstreamListing<UpstreamEntry>) => {};
  odd.list = () => new Promise((resolve) => (answer = resolve));
  const timedOut = [{ server: 'odd', reason: 'timed-out' }];
  expect(await urisOf()).toEqual([[...LEFT, ODD], timedOut]);
  expect(await urisOf()).toEqual([[...LEFT, ODD], timedOut]);
  expect(odd.listings).toHaveLength(2); // it was not asked again while it works on its answer
  expect(problems).toMatchObject([{ code: 'list-incomplete', server: 'odd', reason: 'timed-out' }]);

  answer(complete({ uri: 'a:2', name: 'Two' }));
  await client.next('notifications/resources/list_changed');
  odd.list = async () => complete({ uri: 'a:2', name: 'Two' });
  expect(await urisOf()).toEqual([[...LEFT, 'mcp+odd:a:2'], undefined]);
});

test('a server that fails is reported with one word, and operators get the details', async () => {
  const { odd, problems, urisOf } = await open();
  odd.list = () => Promise.reject(Object.assign(new Error('cannot open /etc/secret'), { code: 'connection-lost' }));
  expect(await urisOf()).toEqual([LEFT, [{ server: 'odd', reason: 'connection-lost' }]]);
  expect(problems).toMatchObject([{ message: expect.stringContaining('/etc/secret') }]);
});

test('a partial list of a server is served', async () => {
  const { odd, urisOf } = await open();
  odd.list = async () => ({ ...complete({ uri: 'a:1', name: 'One' }), completeness: 'partial', problems: ['page 2'] });
  expect(await urisOf()).toEqual([[...LEFT, ODD], [{ server: 'odd', reason: 'partial' }]]);
});

test('invalid entries of a server do not affect the rest of the list', async () => {
  const { odd, client } = await open();
  const nonsense = [null, 7, {}, { uri: 3 }, { uri: '' }] as never[];
  odd.list = async () =>
    complete(...nonsense, { uri: 'a:1', name: 7, mimeType: [] }, { uri: 'a:2', name: 'Two', size: 'big' });
  const { resources } = await client.request('resources/list');
  expect(resources.slice(LEFT.length)).toEqual([
    { uri: ODD, name: ODD },
    { uri: 'mcp+odd:a:2', name: 'Two' },
  ]);
});

test('a server without the method has an empty list, and no fault', async () => {
  const { problems, urisOf } = await open();
  const [, incomplete] = await urisOf('resources/templates/list');
  expect([incomplete, problems]).toEqual([undefined, []]);
});

test('a server that declares no prompts gets no request for them', async () => {
  const { client, problems } = await open();
  const { prompts, _meta } = await client.request('prompts/list');
  expect([prompts.length, _meta, problems]).toEqual([2, undefined, []]);
});

test('a list does not start a stopped server', async () => {
  const { odd, urisOf } = await open();
  odd.state = 'stopped';
  odd.session = undefined;
  odd.list = async () => ({ items: [], completeness: 'unavailable', problems: ['nobody has asked it before'] });
  expect(await urisOf()).toEqual([LEFT, [{ server: 'odd', reason: 'not-running' }]]);
  expect(odd.listings).toEqual([{ wake: false }]);
});

test('the list of a server that announces changes is read once per connection', async () => {
  const { odd, upstreams, client, urisOf } = await open({ listChanged: true });
  await urisOf();
  await urisOf();
  expect(odd.listings).toHaveLength(1);
  upstreams.emitter.emit('resources-changed', { server: 'odd' });
  await urisOf();
  expect(odd.listings).toHaveLength(2);

  odd.session = { capabilities: { resources: { listChanged: true } } };
  upstreams.emitter.emit('server-state', { server: 'odd' });
  await client.next('notifications/resources/list_changed');
  await urisOf();
  expect(odd.listings).toHaveLength(3);
});

test('a change during a request is in the list', async () => {
  const { odd, upstreams, urisOf } = await open({ listChanged: true });
  const signals: AbortSignal[] = [];
  odd.list = ({ signal }) =>
    new Promise((_, reject) => {
      if (signal !== undefined) signals.push(signal);
      signal?.addEventListener('abort', () => reject(signal.reason));
      odd.list = async () => complete({ uri: 'a:9', name: 'Nine' });
      upstreams.emitter.emit('resources-changed', { server: 'odd' });
    });
  expect(await urisOf()).toEqual([[...LEFT, 'mcp+odd:a:9'], undefined]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test('the entries of a removed server are removed, and clients that saw them are notified', async () => {
  const { upstreams, client, urisOf } = await open();
  await urisOf();
  upstreams.remove('odd');
  await client.next('notifications/resources/list_changed');
  expect(await urisOf()).toEqual([LEFT, undefined]);
});

test('a role sees neither servers that it may not use nor their failures', async () => {
  const { odd, upstreams, client, urisOf } = await open({ role: 'left' });
  odd.list = () => Promise.reject(new Error('fails'));
  expect(await urisOf()).toEqual([LEFT, undefined]);
  upstreams.emitter.emit('resources-changed', { server: 'odd' });
  upstreams.emitter.emit('resources-changed', { server: 'left' });
  await client.next('notifications/resources/list_changed');
  expect(client.untaken).toEqual([]);
});

test('the failure of a server reveals no paths', async () => {
  const { client, problems } = await open();
  const refusal = await client.request('resources/read', { uri: ODD }).catch((error) => error);
  expect(refusal).toMatchObject({
    code: -32_603,
    message: expect.stringMatching(/did not respond: failed$/),
    data: { reason: 'failed' },
  });
  expect(problems).toMatchObject([
    { code: 'request-failed', server: 'odd', message: expect.stringContaining('.secret') },
  ]);
});

test('a failure before the request has a server is reported with the name in the failure, or without one', async () => {
  const { upstreams, client, problems } = await open();
  for (const server of ['odd', undefined]) {
    const failure = Object.assign(new Error('It is down.'), { code: 'not-started', server });
    const servers = upstreams.servers.bind(upstreams);
    upstreams.servers = () => {
      throw failure;
    };
    await client.request('resources/subscribe', { uri: ODD }).catch((error) => error);
    upstreams.servers = servers;
  }
  expect(problems).toMatchObject([
    { server: 'odd', message: 'Server "odd" did not respond to "resources/subscribe": It is down.' },
    { server: undefined, message: 'A server did not respond to "resources/subscribe": It is down.' },
  ]);
});

test.each([
  { code: 'busy', retryable: true, retryAfterMs: 700 },
  { code: 'outcome-unknown', retryable: false },
])('a request that fails with $code says whether to retry', async ({ code, ...others }) => {
  const { odd, client } = await open();
  odd.request = () => Promise.reject(Object.assign(new Error('in /home/me/.secret'), { code, ...others }));
  const refusal = await client.request('resources/read', { uri: ODD }).catch((error) => error);
  expect(refusal.data).toEqual({ reason: code, ...others });
});

test('a method that a server does not offer gets the server’s own error', async () => {
  const { odd, client } = await open();
  odd.request = () => Promise.reject(Object.assign(new Error('It has no completions'), { code: 'unsupported' }));
  const ref = { type: 'ref/resource', uri: 'mcp+odd:a:{name}' };
  const completion = client.request('completion/complete', { ref, argument: { name: 'name', value: '' } });
  await expect(completion).rejects.toMatchObject({ code: -32_601 });
});

test('servers with unknown tools are reported to clients that may use all of them', async () => {
  const { odd, upstreams, client } = await open();
  const missing = async (asked: GatewayClient) => (await asked.request('tools/list'))._meta?.[INCOMPLETE];
  expect(await missing(client)).toBeUndefined(); // it has none, and says so

  odd.session = undefined;
  odd.state = 'starting';
  expect(await missing(client)).toEqual([{ server: 'odd', reason: 'not-running' }]);
  const page = await client.request('tools/list');
  expect(page.tools.map(({ name }: { name: string }) => name)).toContain('mcp__left__find');

  odd.session = { capabilities: { tools: {} } };
  odd.state = 'degraded';
  expect(await missing(client)).toEqual([{ server: 'odd', reason: 'failed' }]);
  odd.state = 'running';
  expect(await missing(client)).toBeUndefined();
  upstreams.remove('odd');
  expect(await missing(client)).toBeUndefined();

  const others = await open({ role: 'left' });
  others.odd.session = undefined;
  expect(await missing(others.client)).toBeUndefined();
});

test('a source that fails to list its tools is reported with one word', async () => {
  const { odd, client, registry } = await open();
  odd.session = { capabilities: { tools: {} } };
  const cause = Object.assign(new Error('cannot open /etc/secret'), { code: 'connection-lost' });
  await registry.attach({
    name: 'odd',
    listTools: () => Promise.reject(cause),
    callTool: async () => ({ content: [] }),
  }).ready;
  const { _meta } = await client.request('tools/list');
  expect(_meta[INCOMPLETE]).toEqual([{ server: 'odd', reason: 'connection-lost' }]);
});

test('a gateway closes while a server hangs, and aborts its requests', async () => {
  const { odd, gateway, client } = await open({ listTimeoutMs: 60_000 });
  const asked: AbortSignal[] = [];
  const isAsked = new Promise<void>((resolve) => {
    odd.list = ({ signal }) => {
      if (signal !== undefined) asked.push(signal);
      resolve();
      return new Promise(() => undefined);
    };
  });
  const listed = client.request('resources/list').catch(() => 'over');
  await isAsked;
  await gateway.close();
  expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
  expect(await listed).toBe('over');
});

test('collisions are reported without a server that hangs', async () => {
  const { odd, gateway, problems } = await open({ listTimeoutMs: 50 });
  odd.list = () => new Promise(() => undefined);
  expect(await gateway.collisions()).toEqual([]);
  expect(problems).toContainEqual(expect.objectContaining({ server: 'odd', reason: 'timed-out' }));
});
