import { createListSource, tool } from '@x/test-servers';
import { describe, expect, test, vi } from 'vitest';
import { applyPinChanges } from '../../src/pins/apply-pin-changes.js';
import { makePin } from '../../src/pins/check-pins.js';
import { createMemoryPinStore } from '../../src/pins/memory-pin-store.js';
import type { PinStore, Pins, ToolPin } from '../../src/pins/pin-store.js';
import { preload } from '../../src/preload.js';
import { createRegistry } from '../../src/registry.js';
import { settled } from '../helpers/next-event.js';
import { createSlowPinStore, shown, trustOf } from '../helpers/pins.js';

const pin = (name: string, more = {}): ToolPin => makePin(tool(name, more) as never, 'approval');

describe('a slow store', () => {
  test('no tool is visible while it is read, then all approved ones before `ready` of the source', async () => {
    const pinStore = createSlowPinStore();
    const registry = createRegistry({ trust: 'pin-on-first-use', pinStore });
    let isReady = false;
    const ready = registry.attach(createListSource('git', [tool('log')])).ready.then(() => (isReady = true));
    await settled();
    expect([shown(registry), isReady]).toEqual([[], false]);
    pinStore.answer(); // what is kept
    await settled();
    expect([shown(registry), isReady]).toEqual([[], false]);
    pinStore.answer(); // the first use
    await ready;
    expect(shown(registry)).toEqual(['log']);
    await expect(registry.pins.ready).resolves.toBeUndefined();
  });

  test('servers that need no pins do not wait for it', async () => {
    const pinStore = createSlowPinStore();
    const registry = createRegistry({ trust: { default: 'approve', servers: { own: 'all' } }, pinStore });
    registry.attach(createListSource('own', [tool('log')]));
    await settled();
    expect(shown(registry)).toEqual(['log']);
  });

  test('an approval that is not saved yet shows nothing', async () => {
    const pinStore = createSlowPinStore();
    const registry = createRegistry({ trust: 'approve', pinStore });
    pinStore.answer();
    await registry.attach(createListSource('git', [tool('log')])).ready;
    const approved = registry.pins.approve(await registry.pins.list());
    await settled();
    expect(shown(registry)).toEqual([]);
    pinStore.answer();
    await approved;
    expect(shown(registry)).toEqual(['log']);
  });

  test('first uses during a request are saved together', async () => {
    const kept = createMemoryPinStore();
    const saves: number[] = [];
    const pinStore: PinStore = {
      load: async () => kept.load(),
      async save(changes) {
        saves.push(changes.length);
        await settled();
        return kept.save(changes);
      },
    };
    const registry = createRegistry({ trust: 'pin-on-first-use', pinStore });
    await registry.pins.ready;
    const names = Array.from({ length: 20 }, (_, number) => `server-${number}`);
    await Promise.all(names.map((name) => registry.attach(createListSource(name, [tool('log')])).ready));
    expect(shown(registry)).toHaveLength(20);
    expect(saves).toEqual([1, 19]);
  });

  test('one that never responds is abandoned: nothing is trusted, and nothing waits forever', async () => {
    vi.useFakeTimers();
    try {
      const never = () => new Promise<never>(() => undefined);
      const registry = createRegistry({ trust: 'approve', pinStore: { load: never, save: never } });
      await preload(); // so that the approval begins before the close
      const { ready } = registry.attach(createListSource('git', [tool('log')]));
      const approved = registry.pins.approve([]);
      await Promise.all([
        vi.advanceTimersByTimeAsync(60_000),
        expect(approved).rejects.toMatchObject({
          code: 'pin-store-failed',
          message: 'The pin store failed: it did not answer within 30000 milliseconds',
        }),
        ready,
        registry.close(),
      ]);
      expect(shown(registry)).toEqual([]);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('close waits for pending approvals', async () => {
    const pinStore = createSlowPinStore();
    const registry = createRegistry({ trust: 'approve', pinStore });
    pinStore.answer();
    await registry.attach(createListSource('git', [tool('log')])).ready;
    let isKept = false;
    void registry.pins.approve(await registry.pins.list()).then(() => (isKept = true));
    const closed = registry.close().then(() => isKept);
    pinStore.answer();
    expect(await closed).toBe(true);
  });
});

describe('a store that fails', () => {
  test('while it is read: nothing is trusted, and a diagnostic says why', async () => {
    const pinStore = createSlowPinStore();
    pinStore.failWith(new Error('no disk'));
    const registry = createRegistry({ trust: 'pin-on-first-use', pinStore });
    await registry.attach(createListSource('git', [tool('log')])).ready;
    expect(shown(registry)).toEqual([]);
    expect(await registry.diagnostics()).toContainEqual(
      expect.objectContaining({ code: 'pin-store-failed', message: 'The pin store failed: no disk' }),
    );
    await expect(registry.pins.ready).rejects.toMatchObject({ code: 'pin-store-failed' });
  });

  test('at a first use: the server stays held back without endless retries, and a reload tries again', async () => {
    const kept = createMemoryPinStore();
    let saves = 0;
    let isBroken = true;
    const pinStore: PinStore = {
      load: async () => kept.load(),
      async save(changes) {
        saves++;
        if (isBroken) throw new Error('read-only');
        return kept.save(changes);
      },
    };
    const registry = createRegistry({ trust: 'pin-on-first-use', pinStore });
    await registry.attach(createListSource('git', [tool('log')])).ready;
    expect([shown(registry), saves]).toEqual([[], 1]);
    isBroken = false;
    await registry.pins.reload();
    await settled();
    expect([shown(registry), saves]).toEqual([['log'], 2]);
    expect(await registry.diagnostics()).toEqual([]);
  });

  test('at an approval: the caller gets the error, and the tool stays hidden', async () => {
    const pinStore: PinStore = {
      load: () => [],
      save() {
        throw new Error('read-only');
      },
    };
    const registry = createRegistry({ trust: 'approve', pinStore });
    await registry.attach(createListSource('git', [tool('log')])).ready;
    await expect(registry.pins.approve(await registry.pins.list())).rejects.toMatchObject({
      code: 'pin-store-failed',
      message: 'The pin store failed: read-only',
    });
    expect(shown(registry)).toEqual([]);
  });

  const log = pin('log');
  test.each<[string, unknown, RegExp]>([
    ['no list', {}, /not a list of servers/],
    ['no server', [1], /entry 1 is not a server/],
    ['a server twice', [1, 2].map(() => ({ server: 'git', tools: [] })), /server "git" is listed twice/],
    ['a tool twice', [{ server: 'git', tools: [log, { ...log }] }], /tool "log" of server "git" is listed twice/],
    ['a text that does not match its digest', [{ server: 'git', tools: [forged(log)] }], /does not match its digest/],
    [
      'the text of another tool',
      [{ server: 'git', tools: [{ ...log, tool: 'push' }] }],
      /the definition of another tool/,
    ],
    ['no definition', [{ server: 'git', tools: [{ ...log, definition: 1 }] }], /has no definition/],
    ['no time', [{ server: 'git', tools: [{ ...log, approvedAt: 1 }] }], /has no approvedAt/],
    ['nobody who approved', [{ server: 'git', tools: [{ ...log, approvedBy: 'me' }] }], /must have approvedBy/],
  ])('a store that gives %s makes nothing trusted', async (_what, given, message) => {
    const pinStore = { load: () => given, save: () => given } as never;
    const registry = createRegistry({ trust: 'pin-on-first-use', pinStore });
    await registry.attach(createListSource('git', [tool('log')])).ready;
    expect(shown(registry)).toEqual([]);
    expect((await registry.diagnostics())[0]).toMatchObject({
      code: 'pin-store-failed',
      message: expect.stringMatching(message),
    });
  });
});

function forged(log: ToolPin): ToolPin {
  return { ...log, definition: { ...log.definition, description: 'Looks harmless' } };
}

describe('applyPinChanges', () => {
  const pins: Pins = [{ server: 'git', tools: [pin('log')] }];

  test('a first use counts only for a server that is not known, even if it has no tools', () => {
    const first = { type: 'first-use', server: 'git', tools: [pin('push')] } as const;
    expect(applyPinChanges(pins, [first])).toBe(pins);
    const emptied = applyPinChanges(pins, [{ type: 'revoke', server: 'git' }]);
    expect(emptied).toEqual([{ server: 'git', tools: [] }]);
    expect(applyPinChanges(emptied, [first])).toBe(emptied);
    expect(applyPinChanges([], [first])).toEqual([{ server: 'git', tools: first.tools }]);
  });

  test('an approval adds to the others and replaces its own, in stable order', () => {
    const next = pin('log', { description: 'else' });
    const approved = applyPinChanges(pins, [{ type: 'approve', server: 'git', tools: [next, pin('add')] }]);
    expect(approved.flatMap(({ tools }) => tools.map(({ digest }) => digest))).toEqual([
      pin('add').digest,
      next.digest,
    ]);
    const both = applyPinChanges(approved, [{ type: 'approve', server: 'a', tools: [] }]);
    expect(both.map(({ server }) => server)).toEqual(['a', 'git']);
  });

  test('stored pins are trusted by the next registry', async () => {
    const pinStore = createMemoryPinStore(pins);
    const registry = createRegistry({ trust: 'approve', pinStore });
    await registry.attach(createListSource('git', [tool('log'), tool('push')])).ready;
    expect(await trustOf(registry)).toEqual({ log: 'trusted', push: 'pending' });
  });
});
