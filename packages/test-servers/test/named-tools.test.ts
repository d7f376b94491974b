import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { RawServer } from './helpers/raw-server.js';

afterEach(expectNoLeaks);

test('named-tools has the tools of its command line, and says which one ran', async () => {
  await using server = new RawServer('named-tools', '--label', 'db', 'query', 'a.b');
  expect(await server.text('a.b')).toBe('db ran a.b');
  expect(await server.toolNames()).toEqual(['query', 'a.b']);
});

test('named-tools has the instructions of its command line', async () => {
  await using server = new RawServer('named-tools', '--instructions', 'Ask first.', 'query');
  expect(await server.initialize()).toMatchObject({ result: { instructions: 'Ask first.' } });
});

test('named-tools without names has no tools', async () => {
  await using server = new RawServer('named-tools');
  await server.initialize();
  expect(await server.toolNames()).toEqual([]);
});
