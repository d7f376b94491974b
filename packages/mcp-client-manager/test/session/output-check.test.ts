import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { openSession } from '../helpers/open-session.js';
import { failureOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

const { signal } = new AbortController();

test('a result that fits its schema passes, and so does a failure', async () => {
  await using opened = await openSession('structured');
  await opened.session.listTools({ signal });
  expect(await opened.text('good')).toBe('ok');
  expect(await opened.text('failed')).toBe('did not work');
});

test.each([
  ['wrong', /structuredContent\/x must be number.*structuredContent\/tags\/1 must be string/],
  ['missing', /no structured content/],
])('a result that does not fit fails the call, by either way (%s)', async (tool, message) => {
  await using opened = await openSession('structured');
  const { session } = opened;
  await session.listTools({ signal });
  const failure = await failureOf(session.callTool(tool, {}, { signal }));
  expect(failure).toMatchObject({ code: 'invalid-result', server: 'structured' });
  expect((failure as Error).message).toMatch(message);
  const short = new Promise((resolve, reject) => {
    const ways = { onProgress: () => undefined, onResult: resolve, onFailure: reject };
    session.lane?.send({ tool, args: {}, meta: undefined, wantsProgress: false, ...ways });
  });
  expect(await failureOf(short)).toMatchObject({ code: 'invalid-result' });
});

test.each([
  ['broken_schema', /no such type|must be/],
  ['elsewhere', /can't resolve reference/],
  ['deep', /64 levels/],
  ['huge', /262144/],
  ['slow', /250 ms/],
])('a schema that cannot be used fails no call and is said to be so (%s)', async (tool, problem) => {
  await using opened = await openSession('structured');
  await opened.session.listTools({ signal });
  expect(await opened.text(tool)).toBe('ok');
  expect(await opened.text(tool)).toBe('ok');
  expect(opened.session.outputProblems).toEqual([expect.stringMatching(problem)]);
});

test('nothing is checked before the tools are listed, or if that is not wanted', async () => {
  await using unlisted = await openSession('structured');
  expect(await unlisted.text('wrong')).toBe('?');
  await using trusting = await openSession('structured', { validateOutput: false });
  await trusting.session.listTools({ signal });
  expect(await trusting.text('wrong')).toBe('?');
});
