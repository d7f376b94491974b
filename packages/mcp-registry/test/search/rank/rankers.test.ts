import { createListSource, tool } from '@x/test-servers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createRegistry } from '../../../src/registry.js';
import type { Ranker, RankerFailure, RankOptions } from '../../../src/search/rank/ranker.js';

async function createRanked(...rankers: Ranker[]) {
  const registry = createRegistry({ rankers, roles: [{ role: 'reader', allowedTools: ['files.read_*'] }] });
  const names = ['read_text', 'read_bytes', 'write_text', 'copy'];
  await registry.attach(
    createListSource(
      'files',
      names.map((name) => tool(name)),
    ),
  ).ready;
  const failures: RankerFailure[] = [];
  registry.events.on('ranker-failed', (failure) => failures.push(failure));
  return { registry, failures };
}

const ranker = (rank: Ranker['rank'], more: Partial<Ranker> = {}): Ranker => ({ name: 'other', rank, ...more });
const publicNames = (...names: string[]) => names.map((name) => `mcp__files__${name}`);
const never = new Promise<never>(() => {});

describe('a ranker', () => {
  test('moves up what it names, and adds what the words do not find', async () => {
    const { registry, failures } = await createRanked(ranker(() => publicNames('read_bytes', 'copy')));
    const result = await registry.search({ query: 'text', server: 'files' });
    expect(result.tools.map((hit) => hit.tool).toSorted()).toEqual(['copy', 'read_bytes', 'read_text', 'write_text']);
    expect(result.total).toBe(4);
    expect((await registry.search({ query: 'read' })).tools[0]?.tool).toBe('read_bytes');
    expect(result.tools.find((hit) => hit.tool === 'copy')).toMatchObject({ coverage: 0, matched: [] });
    expect(failures).toEqual([]);
  });

  test('is given the query, the best by words, and what it may name', async () => {
    const asked: [string, RankOptions][] = [];
    const { registry } = await createRanked(
      ranker((...args) => {
        asked.push(args);
        return [];
      }),
    );
    await registry.view({ role: 'reader' }).search({ query: ' read bytes ', server: 'files' });
    const [[query, { candidates, accepts, limit, signal }] = fail()] = asked;
    expect([query, limit, signal.aborted]).toEqual(['read bytes', 100, false]);
    expect(candidates.map((document) => document.tool)).toEqual(['read_bytes', 'read_text']);
    expect(candidates[0]).toMatchObject({ server: 'files', description: 'Does read_bytes' });
    expect(publicNames('read_text', 'write_text', 'unknown').map(accepts)).toEqual([true, false, false]);
  });

  test('is not asked for lists, patterns and whole names', async () => {
    const rank = vi.fn(() => []);
    const { registry } = await createRanked(ranker(rank));
    for (const request of [{ query: '*' }, { query: 'read', useRegex: true }, { query: 'files.copy' }]) {
      await registry.search(request);
    }
    expect(rank).not.toHaveBeenCalled();
  });

  test('has its order on every page', async () => {
    const { registry } = await createRanked(ranker(() => publicNames('copy', 'write_text')));
    const whole = await registry.search({ query: 'read' });
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await registry.search({ query: 'read', limit: 1, ...(cursor === undefined ? {} : { cursor }) });
      names.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(names).toEqual(whole.tools.map(({ name }) => name));
    expect(names).toHaveLength(whole.total);
  });

  test('that answers otherwise on the next page makes the cursor worthless rather than repeat a tool', async () => {
    const answers = [publicNames('copy'), publicNames('write_text')];
    const { registry } = await createRanked(ranker(() => answers.shift() ?? []));
    const { nextCursor: cursor = '' } = await registry.search({ query: 'read', limit: 1 });
    await expect(registry.search({ query: 'read', limit: 1, cursor })).rejects.toMatchObject({
      code: 'invalid-cursor',
    });
  });
});

describe('a ranker that goes wrong leaves the answer by words, and is reported', () => {
  const cause = new Error('no model');
  test.each<[string, Ranker['rank'], Partial<RankerFailure>]>([
    [
      'throws',
      () => {
        throw cause;
      },
      { reason: 'threw', cause },
    ],
    [
      'rejects',
      () => Promise.reject(cause),
      { reason: 'threw', cause, message: 'The ranker "other" failed: no model' },
    ],
    ['gives no list', () => 'mcp__files__copy' as never, { reason: 'invalid-answer' }],
    ['gives a list of something else', () => [{ name: 'mcp__files__copy' }] as never, { reason: 'invalid-answer' }],
    ['names tools that are not there', () => ['nowhere', '__proto__'], { reason: 'unknown-tools' }],
  ])('because it %s', async (_, rank, failure) => {
    const { registry, failures } = await createRanked(ranker(rank));
    const { registry: plain } = await createRanked();
    const [answer, expected] = await Promise.all([registry, plain].map((each) => each.search({ query: 'read text' })));
    expect(answer).toEqual(expected);
    expect(failures).toEqual([expect.objectContaining({ ranker: 'other', ...failure })]);
  });

  test('because it does not respond: once, then it is not called until it does', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const settle: (() => void)[] = [];
    const signals: AbortSignal[] = [];
    const rank: Ranker['rank'] = (_, { signal }) => {
      signals.push(signal);
      return new Promise((resolve) => settle.push(() => resolve(publicNames('copy'))));
    };
    const { registry, failures } = await createRanked(ranker(rank, { timeoutMs: 50 }));
    const search = registry.search({ query: 'read text' });
    await vi.advanceTimersByTimeAsync(50);
    expect((await search).tools.map((hit) => hit.tool)).not.toContain('copy');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(failures).toMatchObject([{ reason: 'timed-out', message: expect.stringContaining('50 milliseconds') }]);

    await registry.search({ query: 'read text' });
    expect(signals).toHaveLength(1);
    settle[0]?.();
    await vi.advanceTimersByTimeAsync(0);
    const later = registry.search({ query: 'read text' });
    await vi.advanceTimersByTimeAsync(0);
    settle[1]?.();
    expect((await later).tools.map((hit) => hit.tool)).toContain('copy');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('because it cannot take the tools', async () => {
    const add = () => Promise.reject(new Error('too many'));
    const { registry, failures } = await createRanked(ranker(() => publicNames('copy'), { add }));
    expect((await registry.search({ query: 'read' })).tools.map((hit) => hit.tool)).toContain('copy');
    expect(failures).toMatchObject([{ reason: 'threw', message: expect.stringContaining('too many') }]);
  });

  test('while the other rankers count', async () => {
    const broken = ranker(() => Promise.reject(new Error('broken')), { name: 'broken' });
    const { registry } = await createRanked(
      broken,
      ranker(() => publicNames('copy')),
    );
    expect((await registry.search({ query: 'read' })).tools.map((hit) => hit.tool)).toContain('copy');
  });
});

describe('what a ranker says to a role', () => {
  test('contains only tools that the role may use, for any ranking', async () => {
    const { registry, failures } = await createRanked(
      ranker(() => publicNames('write_text', 'read_bytes', 'copy', 'read_text')),
    );
    const reader = registry.view({ role: 'reader' });
    const heard: unknown[] = [];
    reader.events.on('ranker-failed', (failure) => heard.push(failure));
    const result = await reader.search({ query: 'write read', server: 'files' });
    expect(result.tools.map((hit) => hit.tool)).toEqual(['read_bytes', 'read_text']);
    expect(result.total).toBe(2);
    expect(failures).toMatchObject([{ reason: 'unknown-tools' }]);
    expect(heard, 'what the role may not know').toEqual([]);
  });

  test('is not displaced by tools that the role may not use', async () => {
    const hidden = Array.from({ length: 200 }, (_, index) => `hidden_${index}`);
    const { registry } = await createRanked(ranker(() => publicNames(...hidden, 'read_bytes')));
    const { registry: plain } = await createRanked(ranker(() => publicNames('read_bytes')));
    const [answer, expected] = await Promise.all(
      [registry, plain].map((each) => each.view({ role: 'reader' }).search({ query: 'text' })),
    );
    expect(answer?.tools.map(({ tool }) => tool)).toContain('read_bytes');
    expect(answer?.tools).toEqual(expected?.tools);
  });
});

describe('a search with rankers', () => {
  test('ends with the signal, which the ranker receives', async () => {
    const told: AbortSignal[] = [];
    const controller = new AbortController();
    const { registry, failures } = await createRanked(
      ranker((_, { signal }) => {
        told.push(signal);
        controller.abort(new Error('enough'));
        return never;
      }),
    );
    await expect(registry.search({ query: 'read' }, { signal: controller.signal })).rejects.toThrow('enough');
    expect(told.map(({ aborted }) => aborted)).toEqual([true]);
    expect(failures).toEqual([]);
  });

  test('ends when the registry closes', async () => {
    let onAsked = () => {};
    const asked = new Promise<void>((resolve) => (onAsked = resolve));
    const { registry } = await createRanked(
      ranker(() => {
        onAsked();
        return never;
      }),
    );
    const search = expect(registry.search({ query: 'read' })).rejects.toMatchObject({ code: 'closed' });
    await asked;
    await registry.close();
    await search;
  });

  test('answers with the tools that are there when it answers', async () => {
    const { registry } = await createRanked(
      ranker(() => {
        registration[Symbol.dispose]();
        return ['note', ...publicNames('copy')];
      }),
    );
    const registration = registry.register({ name: 'note', description: 'Reads notes' }, () => '');
    const result = await registry.search({ query: 'reads' });
    expect(result.tools.map((hit) => hit.name)).not.toContain('note');
    expect(result.revision).toBe(registry.revision);
  });
});

test.each<[string, unknown]>([
  ['rankers must be a list', {}],
  ['rankers[0].name', [{ rank: () => [] }]],
  ['rankers[0].rank', [{ name: 'x' }]],
  ['rankers[0].add', [{ name: 'x', rank: () => [], add: 1 }]],
  [
    'rankers[1].timeoutMs',
    [
      { name: 'x', rank: () => [] },
      { name: 'y', rank: () => [], timeoutMs: 0 },
    ],
  ],
  ['rankers[0].weight', [{ name: 'x', rank: () => [], weight: Number.NaN }]],
])('%s is reported for an invalid ranker', (message, rankers) => {
  expect(() => createRegistry({ rankers: rankers as never })).toThrow(
    expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(message) }),
  );
});

function fail(): never {
  throw new Error('the ranker was not asked');
}
