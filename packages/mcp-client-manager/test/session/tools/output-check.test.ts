import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { openSession } from '../../helpers/open-session.js';
import { failureOf } from '../../helpers/servers.js';

afterEach(expectNoLeaks);

const { signal } = new AbortController();

test('passes a result that matches its schema, and a failure', async () => {
  await using opened = await openSession('structured');
  await opened.session.listTools({ signal });
  expect(await opened.text('good')).toBe('ok');
  expect(await opened.text('failed')).toBe('did not work');
});

test.each([
  ['wrong', /structuredContent\/x must be a number, got a string, structuredContent\/tags\/1 must be a string/],
  // A pattern that backtracks for ever elsewhere is tested in linear time.
  ['slow', /structuredContent\/s does not have the form that its pattern asks for/],
  ['missing', /no structured content/],
])('a result that does not match fails the call, also a forwarded one (%s)', async (tool, message) => {
  await using opened = await openSession('structured');
  const { session } = opened;
  await session.listTools({ signal });
  const failure = await failureOf(session.callTool(tool, {}, { signal }));
  expect(failure).toMatchObject({ code: 'invalid-result', server: 'structured' });
  expect((failure as Error).message).toMatch(message);
  const passed = session.request('tools/call', { name: tool, arguments: {} }, { signal });
  expect(await failureOf(passed)).toMatchObject({ code: 'invalid-result' });
});

test.each([
  ['broken_schema', /only partly checked.*a type that JSON Schema does not have/],
  ['elsewhere', /only partly checked.*leads out of the schema/],
  ['deep', /64 levels/],
  ['huge', /262144/],
  ['endless', /takes too long/],
])('an unusable schema fails no call and is reported (%s)', async (tool, problem) => {
  await using opened = await openSession('structured');
  await opened.session.listTools({ signal });
  expect(await opened.text(tool)).toBe('ok');
  expect(await opened.text(tool)).toBe('ok');
  expect(opened.session.outputProblems).toEqual([expect.stringMatching(problem)]);
});

test('checks nothing before the first list, or if the option is off', async () => {
  await using unlisted = await openSession('structured');
  expect(await unlisted.text('wrong')).toBe('?');
  await using trusting = await openSession('structured', { validateOutput: false });
  await trusting.session.listTools({ signal });
  expect(await trusting.text('wrong')).toBe('?');
});
