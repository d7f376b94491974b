import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { type Message, RawServer } from './helpers/raw-server.js';

afterEach(expectNoLeaks);

const isAnnouncement = ({ method }: Message) => method === 'notifications/tools/list_changed';

test('a tool is added and removed, and both are announced', async () => {
  await using server = new RawServer('changes-tools');
  const before = await server.toolNames();

  const [, name] = await Promise.all([server.message(isAnnouncement), server.text('grow')]);
  expect(name).toBe('grown_1');
  expect(await server.toolNames()).toEqual([...before, 'grown_1']);
  expect(await server.text('grown_1')).toBe('grown_1');

  await Promise.all([server.message(isAnnouncement), server.text('shrink')]);
  expect(await server.toolNames()).toEqual(before);
});

test('a description changes, and that is announced', async () => {
  await using server = new RawServer('changes-tools');
  const before = await server.request('tools/list');
  await Promise.all([server.message(isAnnouncement), server.text('reword')]);
  expect((await server.request('tools/list')).result).not.toEqual(before.result);
});

test('a burst announces one change many times', async () => {
  await using server = new RawServer('changes-tools');
  expect(await server.text('burst', { count: 50 })).toBe('grown_1');
  expect(server.lines.filter((line) => line.includes('list_changed'))).toHaveLength(50);
});
