import { createRegistry } from '@x/mcp-registry';
import { createListSource, tool } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import { NameOwners, readName } from '../../../src/gateway/naming/name-owners.js';
import type { GatewayProblem, UpstreamEntry } from '../../../src/gateway/upstream.js';
import { complete, createPlainUpstream, type PlainUpstream, silentUpstreams } from '../helpers/plain-upstream.js';
import { connectRaw, type RawConnection } from '../helpers/raw-clients.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

interface Shelf {
  readonly upstream: PlainUpstream;
  offers: Record<'resources' | 'templates' | 'prompts', readonly UpstreamEntry[]>;
}

/** A server that lists what a test says, and answers with its own name. */
function createShelf(name: string): Shelf {
  const shelf: Shelf = {
    offers: { resources: [], templates: [], prompts: [] },
    upstream: {
      ...createPlainUpstream(name),
      session: { capabilities: { tools: {}, resources: {}, prompts: {} } },
      listResources: async () => complete(...shelf.offers.resources),
      listResourceTemplates: async () => complete(...shelf.offers.templates),
      listPrompts: async () => complete(...shelf.offers.prompts),
      request: async (method, params) =>
        method === 'resources/read' ? { contents: [{ uri: params.uri, text: name }] } : promptOf(name),
    },
  };
  return shelf;
}

function promptOf(text: string) {
  return { messages: [{ role: 'user', content: { type: 'text', text } }] };
}

async function open() {
  const roles = [{ role: 'b', allowedTools: ['b'] }];
  const registry = createRegistry({ roles });
  const [a, b] = [createShelf('a'), createShelf('b')];
  const servers = [a.upstream, b.upstream];
  const problems: string[] = [];
  const gateway = createGateway({
    registry,
    upstreams: { ...silentUpstreams(), servers: () => servers },
    names: 'as-is',
    onProblem: ({ message }: GatewayProblem) => problems.push(message),
  });
  opened.push(registry, gateway);
  const connect = async (role?: string) => {
    const client = await connectRaw(gateway, role === undefined ? {} : { role });
    opened.push(client);
    return client;
  };
  return { a, b, registry, servers, problems, gateway, connect };
}

const read = async (client: RawConnection, uri: string) =>
  (await client.request('resources/read', { uri })).result?.contents[0].text ?? 'nobody';
const prompt = async (client: RawConnection, name: string) =>
  (await client.request('prompts/get', { name })).result?.messages[0].content.text ?? 'nobody';
const callTool = async (client: RawConnection, name: string) =>
  (await client.request('tools/call', { name, arguments: {} })).result?.content[0].text ?? 'nobody';

const one = { uri: 'book:///one', name: 'One' };

describe('an as-is name never moves to another server', () => {
  test('of a tool whose server was removed', async () => {
    const { registry, problems, connect } = await open();
    const attachment = registry.attach(createListSource('a', [tool('send')]));
    await attachment.ready;
    const client = await connect();
    expect(await callTool(client, 'send')).toBe('a ran send');
    await registry.attach(createListSource('b', [tool('send'), tool('other')])).ready;
    expect(await callTool(client, 'send')).toBe('a ran send');
    attachment[Symbol.dispose]();
    expect(await callTool(client, 'other')).toBe('b ran other');
    expect(await callTool(client, 'send')).toBe('nobody');
    expect((await client.request('tools/list')).result.tools).toMatchObject([{ name: 'other' }]);
    expect(problems).toContain('"send" of b is not served, because the name is of a, which had it first');
    // A role that may never use the other server has seen no other owner.
    expect(await callTool(await connect('b'), 'send')).toBe('b ran send');
    await registry.attach(createListSource('a', [tool('send')])).ready;
    expect(await callTool(client, 'send')).toBe('a ran send');
  });

  test('even if its role had no rules meanwhile', async () => {
    const { registry, connect } = await open();
    const both = { role: 'r', allowedTools: ['a', 'b'] };
    const early = await connect('r');
    registry.update({ roles: [both] });
    const attachment = registry.attach(createListSource('a', [tool('send')]));
    await attachment.ready;
    expect(await callTool(await connect('r'), 'send')).toBe('a ran send');
    attachment[Symbol.dispose]();
    await registry.attach(createListSource('b', [tool('send')])).ready;
    registry.update({ roles: [{ role: 'other', allowedTools: ['b'] }] });
    expect(await callTool(await connect('r'), 'send')).toBe('nobody');
    registry.update({ roles: [both] });
    for (const client of [early, await connect('r')]) expect(await callTool(client, 'send')).toBe('nobody');
  });

  test('of a prompt that its server no longer lists', async () => {
    const { a, b, problems, connect } = await open();
    a.offers.prompts = [{ name: 'review' }];
    const client = await connect();
    expect(await prompt(client, 'review')).toBe('a');
    b.offers.prompts = [{ name: 'review' }];
    expect((await client.request('prompts/list')).result.prompts).toEqual([{ name: 'review' }]);
    expect(await prompt(client, 'review')).toBe('a');
    a.offers.prompts = [];
    expect((await client.request('prompts/list')).result.prompts).toEqual([]);
    expect(await prompt(client, 'review')).toBe('nobody');
    expect(problems).toContain('"review" of b is not served, because the name is of a, which had it first');
    expect(await prompt(await connect('b'), 'review')).toBe('b');
  });

  test('of a listed resource', async () => {
    const { a, b, servers, connect } = await open();
    a.offers.resources = [one];
    const client = await connect();
    expect(await read(client, one.uri)).toBe('a');
    b.offers.resources = [one];
    b.offers.templates = [{ uriTemplate: 'book:///{name}', name: 'book' }];
    expect((await client.request('resources/list')).result.resources).toEqual([one]);
    expect(await read(client, one.uri)).toBe('a');
    servers.shift();
    expect((await client.request('resources/list')).result.resources).toEqual([]);
    expect(await read(client, one.uri)).toBe('nobody');
    expect(await read(await connect('b'), one.uri)).toBe('b');
  });

  test('of a resource that was only read', async () => {
    const { b, servers, connect } = await open();
    servers.pop();
    const client = await connect();
    expect(await read(client, one.uri)).toBe('a');
    servers.push(b.upstream);
    b.offers.resources = [one];
    expect(await read(client, one.uri)).toBe('a');
    expect((await client.request('resources/list')).result.resources).toEqual([]);
    servers.shift();
    expect(await read(client, one.uri)).toBe('nobody');
  });

  test('of a template’s resource, by a longer template of another server', async () => {
    const { a, b, servers, connect } = await open();
    a.offers.templates = [{ uriTemplate: 'book:///{name}', name: 'any' }];
    const client = await connect();
    const list = async () => (await client.request('resources/templates/list')).result.resourceTemplates;
    expect(await list()).toHaveLength(1);
    const longer = { uriTemplate: 'book:///secret/{name}', name: 'secret' };
    b.offers.templates = [longer];
    expect(await list()).toEqual(a.offers.templates);
    expect(await read(client, 'book:///secret/1')).toBe('a');
    // Listed first at the same time, either serves what begins like its own the longest.
    expect((await (await connect('b')).request('resources/templates/list')).result.resourceTemplates).toEqual([longer]);
    servers.shift();
    expect(await list()).toEqual([]);
    expect(await read(client, 'book:///secret/1')).toBe('nobody');
  });
});

test('an owner of too many names loses only its own oldest ones', () => {
  const owners = new NameOwners();
  owners.award('kept', ['a']);
  owners.award('offered', ['b']);
  for (let count = 0; count < 20_000; count++) owners.award(`n${count}`, ['b']);
  owners.trim({ has: (name) => name === 'offered' });
  expect(['kept', 'offered', 'n0', 'n19999'].map((name) => owners.ownerOf(name))).toEqual(['a', 'b', undefined, 'b']);
  expect([...owners.entries()].length).toBeLessThanOrEqual(10_002);
});

test('a server with more names than the limit loses none of the offered ones', () => {
  const owners = new NameOwners();
  const offered = new Set(Array.from({ length: 12_000 }, (_, count) => `n${count}`));
  for (const name of offered) owners.award(name, ['a']);
  owners.trim(offered);
  offered.delete('n0');
  owners.trim(offered);
  expect(owners.ownerOf('n0')).toBe('a');
  for (let count = 1; count <= 10_000; count++) offered.delete(`n${count}`);
  owners.trim(offered);
  expect(['n0', 'n10000', 'n11999'].map((name) => owners.ownerOf(name))).toEqual([undefined, 'a', 'a']);
});

test('a long URI that was read is stored as a digest', async () => {
  const { a, b, connect, servers } = await open();
  const long = `book:///${'x'.repeat(20_000)}`;
  servers.splice(1);
  a.offers.resources = [one];
  const client = await connect();
  expect(await read(client, long)).toBe('a');
  servers.push(b.upstream);
  b.offers.resources = [{ uri: long, name: 'Long' }];
  expect(await read(client, long)).toBe('a');
  expect(readName(long)).toHaveLength('\0sha256:'.length + 64);
  expect(readName(long)).not.toBe(readName(`${long}x`));
  expect(readName(one.uri)).toBe(one.uri);
});
