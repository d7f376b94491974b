import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FetchPage } from '../../../src/session/lists/list-pages.js';
import { listTools } from '../../../src/session/lists/list-tools.js';

const { signal } = new AbortController();
const tool = (name: string): object => ({ name, inputSchema: { type: 'object' } });
const names = ({ tools }: { tools: readonly { name: string }[] }): string[] => tools.map(({ name }) => name);

/** Answers the pages one after another and notes the cursors it was asked with. */
function pages(...answers: readonly unknown[]): { fetchPage: FetchPage; cursors: (string | undefined)[] } {
  const cursors: (string | undefined)[] = [];
  const fetchPage = async (cursor: string | undefined): Promise<unknown> => {
    cursors.push(cursor);
    const answer = answers[Math.min(cursors.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { fetchPage, cursors };
}

test('lists each tool once and in order, for any pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.string({ minLength: 1 }), { maxLength: 5 }), { minLength: 1, maxLength: 99 }),
      async (wanted) => {
        const answers = wanted.map((page, index) => ({
          tools: page.map(tool),
          ...(index < wanted.length - 1 && { nextCursor: `${index}` }),
        }));
        const { fetchPage, cursors } = pages(...answers);
        const listing = await listTools(fetchPage, { signal });
        expect(names(listing)).toEqual([...new Set(wanted.flat())]);
        expect(listing.completeness).toBe('complete');
        expect(cursors).toEqual([undefined, ...answers.slice(1).map((_, index) => `${index}`)]);
      },
    ),
  );
});

test('follows an empty cursor', async () => {
  const { fetchPage, cursors } = pages({ tools: [tool('a')], nextCursor: '' }, { tools: [tool('b')] });
  expect(await listTools(fetchPage, { signal })).toMatchObject({ completeness: 'complete', problems: [] });
  expect(cursors).toEqual([undefined, '']);
});

test('stops at a repeated cursor and keeps the tools so far', async () => {
  const { fetchPage, cursors } = pages(
    { tools: [tool('a')], nextCursor: 'x' },
    { tools: [tool('b')], nextCursor: 'x' },
  );
  const listing = await listTools(fetchPage, { signal });
  expect(names(listing)).toEqual(['a', 'b']);
  expect(listing).toMatchObject({ completeness: 'partial', problems: ['the server repeated the cursor "x"'] });
  expect(cursors).toEqual([undefined, 'x']);
});

test('stops an endless list after a hundred pages', async () => {
  let page = 0;
  const listing = await listTools(
    async () => {
      page += 1;
      return { tools: [tool(`t${page}`)], nextCursor: `${page}` };
    },
    { signal },
  );
  expect(listing.tools).toHaveLength(100);
  expect(listing).toMatchObject({
    completeness: 'partial',
    problems: ['stopped after 100 pages and 100 tools; the limits are 100, 10000 and 32 MiB; raise "limits.maxTools"'],
  });
});

test('stops at ten thousand tools', async () => {
  const { fetchPage } = pages({
    tools: Array.from({ length: 12_000 }, (_, index) => tool(`t${index}`)),
    nextCursor: 'x',
  });
  const listing = await listTools(fetchPage, { signal });
  expect(listing.tools).toHaveLength(10_000);
  expect(listing.completeness).toBe('partial');
});

test('a last page over the limit is not complete', async () => {
  const { fetchPage } = pages({ tools: Array.from({ length: 12_000 }, (_, index) => tool(`t${index}`)) });
  expect(await listTools(fetchPage, { signal })).toMatchObject({ completeness: 'partial' });
});

test('keeps the pages before a failed one', async () => {
  const { fetchPage } = pages({ tools: [tool('a')], nextCursor: 'x' }, new Error('broken'));
  const listing = await listTools(fetchPage, { signal });
  expect(names(listing)).toEqual(['a']);
  expect(listing).toMatchObject({ completeness: 'partial', problems: ['page 2 failed: broken'] });
});

test('lists nothing if the first page fails', async () => {
  const { fetchPage } = pages(new Error('broken'));
  expect(await listTools(fetchPage, { signal })).toEqual({
    tools: [],
    completeness: 'unavailable',
    cause: expect.any(Error),
    problems: ['page 1 failed: broken'],
  });
});

test('keeps valid tools and reports other entries', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.anything()), async (entries) => {
      const { fetchPage } = pages({ tools: [...entries, tool('good')] });
      const listing = await listTools(fetchPage, { signal });
      expect(names(listing)).toContain('good');
      expect(listing.tools.length + listing.problems.length).toBe(entries.length + 1);
    }),
  );
});

test.each([[undefined], [null], ['tools'], [[]], [{}], [{ tools: {} }]])(
  'a result without tools is a page that failed: %j',
  async (result) => {
    const { fetchPage } = pages(result);
    expect(await listTools(fetchPage, { signal })).toEqual({
      tools: [],
      completeness: 'unavailable',
      cause: expect.any(Error),
      problems: ['page 1 failed: the result has no array "tools"'],
    });
  },
);

test('keeps the first of two tools with one name', async () => {
  const first = { ...tool('a'), title: 'first', 'x-unknown': [1] };
  const { fetchPage } = pages({ tools: [first, tool('a')] });
  const listing = await listTools(fetchPage, { signal });
  expect(listing.tools).toEqual([first]);
  expect(listing.problems).toEqual(['the name "a" came twice; the first was kept']);
});

test('an abort rejects with the reason of the signal', async () => {
  const end = new AbortController();
  const reason = new Error('enough');
  const fetchPage = async (): Promise<unknown> => {
    end.abort(reason);
    throw new Error('some other error');
  };
  await expect(listTools(fetchPage, { signal: end.signal })).rejects.toBe(reason);
});

test.each([
  [3, 'partial', 3],
  [10_000, 'complete', 12],
] as const)('with maxTools %i a listing of 12 tools is %s', async (maxTools, completeness, length) => {
  const tools = Array.from({ length: 12 }, (_, index) => tool(`t${index}`));
  const listing = await listTools(async () => ({ tools }), { signal, maxTools });
  expect(listing).toMatchObject({ completeness });
  expect(listing.tools).toHaveLength(length);
});

test('a higher limit of tools allows more pages in proportion', async () => {
  let page = 0;
  const listing = await listTools(
    async () => {
      page += 1;
      return { tools: [tool(`t${page}`)], ...(page < 250 && { nextCursor: `${page}` }) };
    },
    { signal, maxTools: 25_000 },
  );
  expect(listing).toMatchObject({ completeness: 'complete' });
  expect(listing.tools).toHaveLength(250);
});
