import { describe, expect, test } from 'vitest';
import { DefineClient } from '../../src/catalog/define-client.js';
import { defineTool } from '../../src/catalog/definition.js';
import { DefinitionStore } from '../../src/catalog/definition-store.js';
import type { Placement, ServerRecord, ToolDigests } from '../../src/catalog/records.js';
import { FleetError } from '../../src/errors.js';
import { createMemoryBroker } from '../../src/memory/broker.js';
import type { ToolCall } from '../../src/sources/offered-source.js';
import { Offers } from '../../src/sources/offers.js';
import type { Owner } from '../../src/sources/owners.js';
import { tool } from '../helpers/offered.js';

/** Reports of nodes, and the offers of one node. */
function setUp() {
  const told = new Map<string, Map<string, ServerRecord>>();
  const own = new Map<string, { readonly placement: Placement }>();
  const changes: { readonly added: readonly string[]; readonly removed: readonly string[] }[] = [];
  const conflicts: string[] = [];
  const calls: string[] = [];
  const gone = new Set<string>();
  let looks = 0;
  const definitions = new DefinitionStore();
  const defineClient = new DefineClient({ bus: createMemoryBroker().connect(), node: 'here', store: definitions });
  const owner = (node: string, server: string): Owner | undefined => {
    looks += 1;
    const record = told.get(node)?.get(server);
    return record && { node, incarnation: 1, inFlight: 0, isAlive: !gone.has(node), record };
  };
  const offers = new Offers({
    node: 'here',
    own,
    replica: {
      server: (node, server) => told.get(node)?.get(server),
      servers: (node) => Array.from(told.get(node)?.keys() ?? []),
    },
    context: {
      owner,
      holder: () => undefined,
      callRemote: async ({ node }: Owner, call: ToolCall) => {
        calls.push(`${call.tool} on ${node}`);
        if (node === 'dead') throw new FleetError('node-unreachable', 'nobody there', { node });
        if (node === 'lost') throw new FleetError('node-unreachable', 'gone since', { node, retryable: false });
        return { content: [] };
      },
      definitions,
      defineClient,
    },
    onChange: (change) => changes.push(change),
    onConflict: (message) => conflicts.push(message),
  });
  let seq = 0;
  const tell = (
    node: string,
    server: string,
    { placement = 'pinned' as ServerRecord['placement'], tools = [] as ToolDigests, state = 'running' } = {},
  ) => {
    seq += 1;
    const servers = told.get(node) ?? new Map<string, ServerRecord>();
    told.set(node, servers.set(server, { incarnation: 1, seq, placement, state, tools }));
    offers.serverChanged(node, server);
  };
  const take = (node: string, server: string) => {
    told.get(node)?.delete(server);
    offers.serverChanged(node, server);
  };
  const names = () => offers.list().map(({ name }) => name);
  const planned = () => Promise.resolve();
  return { offers, own, changes, conflicts, calls, gone, definitions, tell, take, names, planned, looks: () => looks };
}

describe('offers of other nodes', () => {
  test('follow the reports, with one event for simultaneous changes', async () => {
    const { changes, names, offers, planned, take, tell } = setUp();
    for (const server of ['files', 'git']) tell('a', server);
    await planned();
    expect(names()).toEqual(['files@a', 'git@a']);
    take('a', 'files');
    tell('b', 'files');
    await planned();
    expect(changes).toEqual([
      { added: ['files@a', 'git@a'], removed: [] },
      { added: ['files@b'], removed: ['files@a'] },
    ]);
    expect(offers.of('a', 'git')).toBe(offers.get('git@a'));
    expect(offers.of('a', 'files')).toBeUndefined();
  });

  test('are replaced when their placement changes', async () => {
    const { changes, planned, tell, offers } = setUp();
    tell('a', 'jobs', { placement: 'singleton' });
    await planned();
    const before = offers.get('jobs@fleet');
    tell('a', 'jobs', { placement: 'replicated' });
    await planned();
    expect(changes.at(-1)).toEqual({ added: ['jobs@fleet'], removed: ['jobs@fleet'] });
    expect(offers.get('jobs@fleet')).not.toBe(before);
  });

  test('keep their placement when another node reports a different one', async () => {
    const { conflicts, offers, planned, tell } = setUp();
    tell('b', 'jobs', { placement: 'replicated' });
    await planned();
    const before = offers.get('jobs@fleet');
    tell('a', 'jobs', { placement: 'singleton' });
    await planned();
    expect(offers.get('jobs@fleet')).toBe(before);
    expect(before?.owners).toEqual(['b']);
    expect(conflicts).toEqual(['"jobs" is replicated, but singleton on a: these are left out']);
  });

  test('never have the name of an own server, in any order', async () => {
    const { conflicts, names, offers, own, planned, tell } = setUp();
    tell('a', 'jobs', { placement: 'replicated' });
    await planned();
    const before = offers.get('jobs@fleet');
    for (const act of [() => own.set('jobs', { placement: 'local' }), () => own.delete('jobs')]) {
      act();
      offers.ownPlaced('jobs');
      await planned();
      expect(names()).toEqual(['jobs@fleet']);
      expect(offers.get('jobs')).toBeUndefined();
      expect(offers.get('jobs@fleet')).toBe(before);
    }
    expect(conflicts).toEqual([]);
  });

  test('have the plain name while this node shares the server', async () => {
    const { changes, names, offers, own, planned, tell } = setUp();
    tell('a', 'jobs', { placement: 'replicated' });
    await planned();
    own.set('jobs', { placement: 'replicated' });
    offers.ownPlaced('jobs');
    await planned();
    expect(changes.at(-1)).toEqual({ added: ['jobs'], removed: ['jobs@fleet'] });
    expect(offers.get('jobs')?.owners).toEqual(['a', 'here']);
    own.delete('jobs');
    offers.ownPlaced('jobs');
    await planned();
    expect(names()).toEqual(['jobs@fleet']);
  });

  test('cost the same for each server, however many there are', async () => {
    const { looks, planned, tell } = setUp();
    for (let node = 0; node < 100; node += 1) {
      for (let server = 0; server < 20; server += 1) {
        tell(`h${node}`, `s${server}`);
        await planned();
      }
    }
    expect(looks()).toBeLessThan(2 * 2_000);
    const before = looks();
    tell('h5', 's5', { state: 'degraded' });
    await planned();
    expect(looks() - before).toBeLessThan(3);
  });

  test('end when this node has left, except for its own servers', async () => {
    const { names, offers, own, planned, tell, changes } = setUp();
    own.set('search', { placement: 'replicated' });
    offers.ownPlaced('search');
    tell('a', 'search', { placement: 'replicated' });
    tell('a', 'files');
    await planned();
    offers.forgetOthers();
    expect(names()).toEqual(['search']);
    expect(offers.get('search')?.owners).toEqual(['here']);
    expect(changes.at(-1)).toEqual({ added: [], removed: ['files@a'] });
  });
});

describe('a server of other nodes', () => {
  test('is called on the next node only if the previous one did not receive the call', async () => {
    const { calls, offers, planned, tell } = setUp();
    for (const node of ['dead', 'ok']) tell(node, 'search', { placement: 'replicated' });
    for (const node of ['lost', 'ok']) tell(node, 'jobs', { placement: 'replicated' });
    await planned();
    await offers.get('search@fleet')?.callTool('find', {});
    expect(calls).toEqual(['find on dead', 'find on ok']);
    await expect(offers.get('jobs@fleet')?.callTool('run', {})).rejects.toThrow('gone since');
    expect(calls.at(-1)).toBe('run on lost');
  });

  test('has no tools while all its owners are unreachable, and reports that state', async () => {
    const { gone, offers, planned, tell, definitions } = setUp();
    const { digest, text } = defineTool(tool('read'));
    definitions.add(text);
    tell('a', 'files', { tools: [['read', digest]] });
    await planned();
    const source = offers.get('files@a');
    let told = 0;
    source?.onToolsChanged(() => (told += 1));
    expect(await source?.listTools()).toMatchObject([{ name: 'read' }]);
    gone.add('a');
    offers.nodeChanged('a');
    expect([source?.state, await source?.listTools(), told]).toEqual(['unreachable', [], 1]);
    await expect(source?.callTool('read', {})).rejects.toMatchObject({ code: 'node-unreachable' });
    gone.delete('a');
    offers.nodeChanged('a');
    expect([source?.state, told]).toEqual(['running', 2]);
  });

  test('may list one page ten thousand times without effect', async () => {
    const { definitions, offers, planned, tell } = setUp();
    const entry = defineTool(tool('read'));
    definitions.add(entry.text);
    const page = defineTool(Array.from({ length: 5_000 }, () => ['read', entry.digest] as const));
    definitions.add(page.text);
    tell('a', 'files', { tools: { pages: Array.from({ length: 10_000 }, () => page.digest), count: 3 } });
    await planned();
    expect((await offers.get('files@a')?.listTools())?.length).toBeLessThanOrEqual(100_000);
  });

  test('is in a valid state for any report of its node', async () => {
    const { offers, planned, tell } = setUp();
    tell('a', 'files', { state: '\u001b[31m' });
    await planned();
    expect(offers.get('files@a')?.state).toBe('running');
  });
});
