import { describe, expect, test } from 'vitest';
import { resolveFleetOptions, resolveSource } from '../src/options.js';
import type { FleetSource } from '../src/source.js';
import { ChangingSource } from './helpers/offered.js';

const source = new ChangingSource('files', []);

describe('the options of a fleet', () => {
  test('are complete, with a placement for each source', () => {
    const placed = { source: new ChangingSource('jobs', []), placement: 'singleton' } as const;
    expect(resolveFleetOptions({ node: 'a', sources: new Set([source, placed]), placement: 'replicated' })).toEqual({
      node: 'a',
      sources: [{ source, placement: 'replicated' }, placed],
      placement: 'replicated',
      authorize: undefined,
      heartbeatMs: 5_000,
      maxResultBytes: 32 * 1024 * 1024,
      maxCallsPerNode: 64,
    });
  });

  test.each([
    [{ node: '' }, 'node must be 1 to 64 of A-Z a-z 0-9 _ - and not "fleet", got ""'],
    [{ node: undefined }, 'node must be 1 to 64'],
    [
      { placement: 'everywhere' },
      'placement must be one of "local", "pinned", "singleton", "replicated", got everywhere',
    ],
    [{ heartbeatMs: Number.NaN }, 'heartbeatMs must be a whole number of milliseconds from 100 to 60000, got NaN'],
    [{ heartbeatMs: 500.5 }, 'heartbeatMs must be a whole number of milliseconds from 100 to 60000, got 500.5'],
    [{ maxResultBytes: 1 }, 'maxResultBytes must be a whole number of bytes from 1024 to 1073741824, got 1'],
    [{ maxCallsPerNode: 0 }, 'maxCallsPerNode must be a whole number of calls from 1 to 10000, got 0'],
    [{ authorize: true }, 'authorize must be a function'],
    [{ sources: { files: source } }, 'sources must be a list'],
    [{ sources: [source, { source }] }, 'sources must have unique names, got "files" twice'],
    [{ sources: [undefined] }, 'sources must be objects with a name, listTools and callTool'],
    [{ sources: ['files'] }, 'sources must be objects with a name, listTools and callTool'],
    [{ sources: [{ source: { name: 'x' } }] }, 'sources must be objects with a name, listTools and callTool'],
    [{ sources: [{ source, placement: 'x' }] }, 'placement of "files" must be one of'],
  ])('that make no sense are refused by name: %j', (options, message) => {
    expect(() => resolveFleetOptions({ node: 'a', ...(options as object) })).toThrow(TypeError);
    expect(() => resolveFleetOptions({ node: 'a', ...(options as object) })).toThrow(message);
  });

  test('a source may have a source of its own', () => {
    const outer: FleetSource & { readonly source: unknown } = {
      name: 'outer',
      source: 'somewhere',
      listTools: () => [],
      callTool: async () => ({ content: [] }),
    };
    expect(resolveSource(outer, 'pinned')).toEqual({ source: outer, placement: 'pinned' });
  });
});
