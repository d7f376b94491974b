import { type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startNode } from './node-process.js';
import { SCRIPTED_TOOLS } from './scripted-source.js';

let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

describe('a second process under the name of a node', () => {
  test('is refused while the first one lives, which does not notice', async () => {
    const bus = { servers: server.url };
    const edge = startNode('edge', { bus });
    const first = startNode('twin', { bus, sources: [{ name: 'files', tools: 1 }] });
    await edge.ask({ do: 'until-tools', source: 'files@twin', count: SCRIPTED_TOOLS + 1 });
    const second = startNode('twin', { bus, sources: [{ name: 'files', tools: 2 }] });
    await second.event('join-failed', { code: 'node-taken' });
    expect(await second.ask({ do: 'status' })).toMatchObject({ phase: 'failed', error: { code: 'node-taken' } });
    expect(await second.call('files', 'who')).toBe('twin'); // what it has itself, it still has

    await first.ask({ do: 'until-beats', count: (await first.ask<number>({ do: 'beats' })) + 3 });
    expect(first.all('join-failed')).toEqual([]);
    expect(await first.ask({ do: 'status' })).toMatchObject({ phase: 'joined' });
    expect(edge.all('node-state', { node: 'twin' }).map(({ detail }) => detail.state)).toEqual(['alive']);
    await edge.ask({ do: 'until-tools', source: 'files@twin', count: SCRIPTED_TOOLS + 1 });
    expect(await edge.call('files@twin', 'who')).toBe('twin');
    expect(second.all('called')).toHaveLength(1);
  });

  test('competes with the first when both start at the same time, and one joins', async () => {
    const bus = { servers: server.url, fleet: 'race' };
    const twins = [1, 2].map((tools) => startNode('twin', { bus, sources: [{ name: 'files', tools }] }));
    const outcomes = await Promise.all(
      twins.map((twin) => Promise.race([twin.event('joined'), twin.event('join-failed', { code: 'node-taken' })])),
    );
    expect(outcomes.map(({ name }) => name).toSorted()).toEqual(['join-failed', 'joined']);
    const winner = outcomes.findIndex(({ name }) => name === 'joined');
    const edge = startNode('edge', { bus });
    await edge.ask({ do: 'until-tools', source: 'files@twin', count: SCRIPTED_TOOLS + winner + 1 });
  });

  test('has the name alone after the first one was suspended, which then reports it', async () => {
    const bus = { servers: server.url, fleet: 'still' };
    const edge = startNode('edge', { bus });
    const sources = (tools: number) => [
      { name: 'files', tools },
      { name: 'jobs', tools, placement: 'singleton' as const },
    ];
    const first = startNode('twin', { bus, sources: sources(1) });
    await edge.ask({ do: 'until-tools', source: 'files@twin', count: SCRIPTED_TOOLS + 1 });
    await edge.event('singleton-state', { server: 'jobs', holder: 'twin' });
    await first.pause();
    const paused = first.mark();
    const second = startNode('twin', { bus, sources: sources(2) });
    await second.event('joined');
    await edge.ask({ do: 'until-tools', source: 'files@twin', count: SCRIPTED_TOOLS + 2 });
    first.resume();
    await first.event('join-failed', { code: 'superseded' });
    await first.event('stopped', { server: 'jobs' }, { after: paused });
    expect(await first.ask({ do: 'status' })).toMatchObject({ phase: 'failed', error: { code: 'superseded' } });
    await expect(first.call('jobs', 'who')).rejects.toMatchObject({ code: 'node-unreachable' });

    await second.event('singleton-state', { server: 'jobs', holder: 'twin' });
    await second.ask({ do: 'until-beats', count: (await second.ask<number>({ do: 'beats' })) + 3 });
    expect(second.all('join-failed')).toEqual([]);
    const before = first.all('called').length;
    await edge.ask({ do: 'until-tools', source: 'jobs@fleet', count: SCRIPTED_TOOLS + 2 });
    expect(await edge.call('files@twin', 'who')).toBe('twin');
    expect(await edge.call('jobs@fleet', 'who')).toBe('twin');
    expect(second.all('called')).toHaveLength(2);
    expect(first.all('called')).toHaveLength(before);
  });
});
