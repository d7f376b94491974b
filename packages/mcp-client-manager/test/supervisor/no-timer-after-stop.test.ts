import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { InProcessServer } from '../../src/spec.js';
import { managerOf } from '../helpers/servers.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** An in-process server with two habits: it fails on request, and never answers one of its tools. */
class Fickle {
  mayOpen = true;
  opened = 0;
  #present: McpServer | undefined;

  open = (): InProcessServer => {
    this.opened += 1;
    if (!this.mayOpen) throw new Error('not now');
    const server = new McpServer({ name: 'fickle', version: '1.0.0' });
    const inputSchema = fromJsonSchema({ type: 'object' });
    server.registerTool('answer', { inputSchema }, () => ({ content: [] }));
    server.registerTool('hang', { inputSchema }, () => new Promise<never>(() => undefined));
    this.#present = server;
    return server;
  };

  notice(): void {
    if (this.#present?.isConnected()) this.#present.sendToolListChanged();
  }

  leave(): void {
    void this.#present?.close();
  }
}

const step = fc.oneof(
  fc.constantFrom(
    'start',
    'stop',
    'restart',
    'answer',
    'hang',
    'check',
    'leave',
    'break',
    'mend',
    'list',
    'notice' as const,
  ),
  fc.integer({ min: 1, max: 400_000 }),
);

/** Lets time go by until the promise is settled. */
async function passing<T>(promise: Promise<T>): Promise<T> {
  let isOver = false;
  const settled = promise.finally(() => {
    isOver = true;
  });
  settled.catch(() => undefined);
  while (!isOver) {
    await vi.advanceTimersByTimeAsync(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return settled;
}

test.each(['stop', 'close'] as const)(
  'no timer is left when %s has resolved, and nothing happens any more',
  { timeout: 120_000 },
  async (end) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.boolean(), async (steps, eager) => {
        vi.clearAllTimers(); // of a run that failed
        const fickle = new Fickle();
        const manager = managerOf({ name: 'fickle', server: fickle.open, eager, limits: { idleStopMs: 200_000 } });
        const server = manager.server('fickle');
        const pending: Promise<unknown>[] = [];
        const acts = {
          start: () => server.start(),
          stop: () => server.stop(),
          restart: () => server.restart(),
          answer: () => server.callTool('answer'),
          hang: () => server.callTool('hang', {}, { timeoutMs: 30_000, idleTimeoutMs: 20_000 }),
          check: () => server.checkHealth(),
          list: () => server.discoverTools(),
          leave: async () => fickle.leave(),
          notice: async () => fickle.notice(),
          break: async () => {
            fickle.mayOpen = false;
          },
          mend: async () => {
            fickle.mayOpen = true;
          },
        };
        for (const what of steps) {
          if (typeof what === 'number') await vi.advanceTimersByTimeAsync(what);
          else pending.push(acts[what]().catch(() => undefined));
          await new Promise((resolve) => setImmediate(resolve));
        }
        await passing(manager[end]());
        const { opened } = fickle;
        const later: string[] = [];
        manager.events.on('server-state', ({ state }) => later.push(state.phase));
        expect(vi.getTimerCount()).toBe(0);
        await vi.advanceTimersByTimeAsync(3_600_000);
        expect(later).toEqual([]);
        expect(fickle.opened).toBe(opened);
        await Promise.all(pending);
        await passing(manager.close());
      }),
      { numRuns: 300 },
    );
  },
);
