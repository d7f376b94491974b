import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { RawServer } from './helpers/raw-server.js';

afterEach(expectNoLeaks);

test('each page names the next one until the last', async () => {
  await using server = new RawServer('many-pages', '--pages', '2', '--per-page', '2');
  expect((await server.request('tools/list')).result).toMatchObject({
    tools: [{ name: 'tool_1' }, { name: 'tool_2' }],
    nextCursor: 'page-1',
  });
  const last = await server.request('tools/list', { cursor: 'page-1' });
  expect(last.result).toMatchObject({ tools: [{ name: 'tool_3' }, { name: 'tool_4' }] });
  expect(last.result).not.toHaveProperty('nextCursor');
  expect(await server.text('tool_4')).toBe('tool_4');
  expect(await server.text('list_requests')).toBe('2');
});

test('repeat: the same cursor comes back for ever', async () => {
  await using server = new RawServer('many-pages', '--cursor', 'repeat');
  expect((await server.request('tools/list')).result).toMatchObject({ nextCursor: 'again' });
  expect((await server.request('tools/list', { cursor: 'again' })).result).toMatchObject({ nextCursor: 'again' });
});

test('endless: there is a page after the last', async () => {
  await using server = new RawServer('many-pages', '--pages', '2', '--cursor', 'endless');
  expect((await server.request('tools/list', { cursor: 'page-700' })).result).toMatchObject({ nextCursor: 'page-701' });
});

test('fail: page 2 is an error each time', async () => {
  await using server = new RawServer('many-pages', '--cursor', 'fail');
  expect((await server.request('tools/list', { cursor: 'page-1' })).error).toMatchObject({ code: -32603 });
  expect((await server.request('tools/list', { cursor: 'page-1' })).error).toMatchObject({ code: -32603 });
});

test('fail-once: page 2 is an error the first time only', async () => {
  await using server = new RawServer('many-pages', '--cursor', 'fail-once');
  expect((await server.request('tools/list', { cursor: 'page-1' })).error).toMatchObject({ code: -32603 });
  expect(await server.toolNames({ cursor: 'page-1' })).toEqual(['tool_3', 'tool_4']);
});

test('empty: the empty string leads to page 2', async () => {
  await using server = new RawServer('many-pages', '--cursor', 'empty');
  expect((await server.request('tools/list')).result).toMatchObject({ nextCursor: '' });
  expect(await server.toolNames({ cursor: '' })).toEqual(['tool_3', 'tool_4']);
});
