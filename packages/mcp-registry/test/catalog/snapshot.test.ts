import { publicName } from '@x/internal/names';
import { createListSource, tool } from '@x/test-servers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildSnapshot } from '../../src/catalog/build-snapshot.js';
import { checkTools } from '../../src/catalog/check-tools.js';
import {
  diffSnapshots,
  EMPTY_SNAPSHOT,
  restrictSnapshot,
  type SourceTools,
  type ToolEntry,
} from '../../src/catalog/snapshot.js';

const targets = new Map<string, ReturnType<typeof createListSource>>();

function offer(name: string, tools: readonly unknown[]): SourceTools {
  const source = targets.get(name) ?? createListSource(name);
  targets.set(name, source);
  return { name, state: 'running', source, checked: checkTools(name, tools) };
}

function build(offers: readonly SourceTools[], previous = EMPTY_SNAPSHOT) {
  return buildSnapshot({ sources: offers, natives: [] }, previous);
}

const toolName = fc.constantFrom('a', 'b', 'c', 'a.b', 'a/b', '__proto__', 'constructor', 'x'.repeat(80));
const anyTool = fc.record({
  name: toolName,
  inputSchema: fc.constant({ type: 'object' }),
  description: fc.constantFrom('1', '2'),
});
const anyCatalogue = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('s', 't', 's.t', '__proto__', 'toString', 's_'), tools: fc.array(anyTool) }),
  { selector: ({ name }) => name },
);
const toOffers = (catalogue: readonly { name: string; tools: readonly unknown[] }[]) =>
  catalogue.map(({ name, tools }) => offer(name, tools));

describe('buildSnapshot', () => {
  test('the order of the sources has no influence', () => {
    fc.assert(
      fc.property(anyCatalogue, (catalogue) => {
        const offers = toOffers(catalogue);
        const reversed = build(offers.toReversed());
        expect(reversed.tools).toEqual(build(offers).tools);
        expect(reversed.refused).toEqual(build(offers).refused);
      }),
    );
  });

  test('every tool has its public name or is refused with a reason', () => {
    fc.assert(
      fc.property(anyCatalogue, (catalogue) => {
        const { entries, refused } = build(toOffers(catalogue));
        const offered = catalogue.reduce((sum, { tools }) => sum + tools.length, 0);
        expect(entries.size + refused.length).toBe(offered);
        for (const [name, { view }] of entries) expect(publicName(String(view.server), view.tool)).toBe(name);
      }),
    );
  });

  test('the tools are in the order of their names, and frozen', () => {
    fc.assert(
      fc.property(anyCatalogue, (catalogue) => {
        const { tools } = build(toOffers(catalogue));
        const names = tools.map(({ name }) => name);
        expect(names).toEqual(names.toSorted());
        expect(tools.every(Object.isFrozen)).toBe(true);
      }),
    );
  });

  test('building the same again gives the same snapshot', () => {
    fc.assert(
      fc.property(anyCatalogue, (catalogue) => {
        const snapshot = build(toOffers(catalogue));
        expect(build(toOffers(structuredClone(catalogue)), snapshot)).toBe(snapshot);
      }),
    );
  });

  test('the revision increases by one for a visible change, and unchanged tools stay the same objects', () => {
    fc.assert(
      fc.property(anyCatalogue, anyCatalogue, (before, after) => {
        const first = build(toOffers(before));
        const second = build(toOffers(after), first);
        const change = diffSnapshots(first, second);
        expect(second.revision).toBe(first.revision + (change === undefined ? 0 : 1));
        for (const [name, { view }] of second.entries) {
          if (change?.added.includes(name) || change?.changed.includes(name)) continue;
          expect(view).toBe(first.entries.get(name)?.view);
        }
      }),
    );
  });

  test('any sequence of steps has the same result as all at once', () => {
    const step = fc.tuple(
      fc.constantFrom('s', 't', 's.t', '__proto__', 's_'),
      fc.option(fc.array(anyTool), { nil: undefined }),
      fc.constantFrom('running', 'stopped'),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const offers = new Map<string, SourceTools>();
        let snapshot = EMPTY_SNAPSHOT;
        for (const [name, tools, state] of steps) {
          if (tools === undefined) offers.delete(name);
          else offers.set(name, { ...offer(name, tools), state });
          const before = snapshot;
          snapshot = build(Array.from(offers.values()), before);
          const fresh = build(Array.from(offers.values()));
          expect(snapshot.tools).toEqual(fresh.tools);
          expect(snapshot.refused).toEqual(fresh.refused);
          expect(Array.from(snapshot.entries.keys())).toEqual(snapshot.tools.map((view) => view.name));
          expect(snapshot.revision).toBe(before.revision + (diffSnapshots(before, snapshot) === undefined ? 0 : 1));
        }
      }),
    );
  });

  test('a part of it, step by step, is the same as that part of the whole', () => {
    const isVisible = ({ view }: ToolEntry) => view.description === '1' || view.tool === 'a';
    fc.assert(
      fc.property(fc.array(anyCatalogue, { maxLength: 5 }), (catalogues) => {
        let [whole, part] = [EMPTY_SNAPSHOT, EMPTY_SNAPSHOT];
        for (const catalogue of catalogues) {
          whole = build(toOffers(catalogue), whole);
          const before = part;
          part = restrictSnapshot(whole, (entry) => (isVisible(entry) ? entry : undefined), { previous: before });
          expect(part.tools).toEqual(whole.entries.ordered.filter(isVisible).map(({ view }) => view));
          expect(part === before).toBe(diffSnapshots(before, part) === undefined);
        }
      }),
    );
  });

  test('a part of it by other rules is the same as that part of the whole', () => {
    const tests = [({ view }: ToolEntry) => view.description === '1', ({ view }: ToolEntry) => view.tool === 'a'];
    fc.assert(
      fc.property(fc.array(fc.tuple(anyCatalogue, fc.nat({ max: 1 })), { maxLength: 6 }), (steps) => {
        let [whole, part, rules] = [EMPTY_SNAPSHOT, EMPTY_SNAPSHOT, 0];
        for (const [catalogue, next] of steps) {
          whole = build(toOffers(catalogue), whole);
          const before = part;
          const isVisible = tests[next] ?? (() => false);
          part = restrictSnapshot(whole, (entry) => (isVisible(entry) ? entry : undefined), {
            previous: before,
            hasNewRules: next !== rules,
          });
          rules = next;
          expect(part.tools).toEqual(whole.entries.ordered.filter(isVisible).map(({ view }) => view));
          expect(part === before).toBe(diffSnapshots(before, part) === undefined);
        }
      }),
    );
  });

  test('of two sources with one identity the first keeps the name, for any later lists', () => {
    const first = offer('git', [tool('log')]);
    const second = {
      ...offer('git', [tool('log', { description: 'of a stranger' })]),
      source: createListSource('git'),
    };
    const collision = { code: 'name-collision', server: 'git', tool: 'log', name: 'mcp__git__log' };
    const before = build([first]);
    const steps = [
      [second, first],
      [second, { ...first, state: 'degraded' as const }],
      [{ ...second, checked: checkTools('git', [tool('log', { description: 'anew' })]) }, first],
    ];
    let snapshot = before;
    for (const sources of steps) {
      snapshot = build(sources, snapshot);
      expect(snapshot.entries.get('mcp__git__log')?.target).toEqual({ kind: 'source', source: first.source });
      expect(snapshot.refused).toMatchObject([collision]);
    }
    expect(build([second], snapshot).entries.get('mcp__git__log')?.target).toMatchObject({ source: second.source });
  });
});

describe('diffSnapshots', () => {
  test('added, removed and changed lead from one to the other', () => {
    fc.assert(
      fc.property(anyCatalogue, anyCatalogue, (before, after) => {
        const [first, second] = [build(toOffers(before)), build(toOffers(after))];
        const { added = [], removed = [], changed = [] } = diffSnapshots(first, second) ?? {};
        const names = new Set([...first.entries.keys(), ...added]);
        for (const name of removed) names.delete(name);
        expect(Array.from(names).toSorted()).toEqual(Array.from(second.entries.keys()));
        for (const name of changed) {
          expect(first.entries.get(name)?.view).not.toEqual(second.entries.get(name)?.view);
        }
      }),
    );
  });

  test('a snapshot does not differ from itself', () => {
    const snapshot = build([offer('git', [tool('log')])]);
    expect(diffSnapshots(snapshot, snapshot)).toBeUndefined();
  });
});
