import { Listeners } from '@x/internal/events';
import { describe, expect, test } from 'vitest';
import type { FleetSource } from '../../src/source.js';
import { attachSources, type SourcesChange } from '../../src/sources/attach-sources.js';
import { ChangingSource } from '../helpers/offered.js';

function setUp(names: readonly string[]) {
  const sources = new Map<string, FleetSource>(names.map((name) => [name, new ChangingSource(name, [])]));
  const changes = new Listeners<SourcesChange>('sources-changed');
  const attached = new Set<FleetSource>();
  const problems: string[] = [];
  let lists = 0;
  const registry = {
    attach(source: FleetSource) {
      if (source.name === 'taken') throw new Error('That name is taken');
      attached.add(source);
      return {
        [Symbol.dispose]() {
          attached.delete(source);
          if (source.name === 'sticky') throw new Error('It does not let go');
        },
      };
    },
  };
  const attachment = attachSources(registry, {
    list: () => {
      lists += 1;
      return Array.from(sources.values());
    },
    find: (name) => sources.get(name),
    onChange: (listener) => changes.add(listener),
    onProblem: (message) => problems.push(message),
  });
  const inRegistry = () => Array.from(attached, ({ name }) => name).toSorted();
  return { sources, changes, attachment, attached, problems, inRegistry, lists: () => lists };
}

describe('sources in a registry', () => {
  test('are attached and detached as they change, without a new listing of all', () => {
    const { sources, changes, inRegistry, lists } = setUp(['a', 'b']);
    expect(inRegistry()).toEqual(['a', 'b']);
    sources.delete('a');
    sources.set('c', new ChangingSource('c', []));
    changes.tell({ added: ['c'], removed: ['a'] });
    expect(inRegistry()).toEqual(['b', 'c']);
    expect(lists()).toBe(1);
  });

  test('of one name are replaced, the old one first', () => {
    const { sources, changes, attached } = setUp(['a']);
    const next = new ChangingSource('a', []);
    sources.set('a', next);
    changes.tell({ added: ['a'], removed: ['a'] });
    expect(Array.from(attached)).toEqual([next]);
  });

  test('that cannot be attached or detached do not affect the others', () => {
    const { sources, changes, attachment, inRegistry, problems } = setUp(['taken', 'sticky', 'a']);
    expect(inRegistry()).toEqual(['a', 'sticky']);
    sources.delete('sticky');
    sources.set('b', new ChangingSource('b', []));
    changes.tell({ added: ['b'], removed: ['sticky'] });
    expect(inRegistry()).toEqual(['a', 'b']);
    expect(problems).toEqual(['The source "taken" could not be attached', 'The source "sticky" could not be detached']);
    attachment[Symbol.dispose]();
    expect(inRegistry()).toEqual([]);
    sources.set('c', new ChangingSource('c', []));
    changes.tell({ added: ['c'], removed: [] });
    expect(inRegistry()).toEqual([]);
  });
});
