import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { deferred } from '../helpers/deferred.js';
import { openSession } from '../helpers/open-session.js';
import { failureOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

const { signal } = new AbortController();
const lists = { toolsListChanged: true, resourcesListChanged: true };

test('the stream is opened before the first list, which is then not asked for twice', async () => {
  await using opened = await openSession('ends-subscriptions');
  const { tools } = await opened.session.listTools({ signal });
  expect(tools.map(({ name }) => name)).toContain('grow');
  expect(await opened.call('listens')).toEqual([lists]);
  expect(opened.lists).toEqual([]);
});

test('a stream that ends is opened again, and what was listed before is said to have changed', async () => {
  const changed = deferred<string>();
  await using opened = await openSession('ends-subscriptions', { listeners: { onListChanged: changed.resolve } });
  await opened.session.listTools({ signal });
  await opened.text('end_stream');
  expect(await changed.promise).toBe('tools');
  const { tools } = await opened.session.listTools({ signal });
  expect(tools.map(({ name }) => name)).toContain('unmentioned_4');
  expect(await opened.call('listens')).toEqual([lists, lists]);
});

test('a stream that ends is opened again, whatever is refused meanwhile', async () => {
  const changed = deferred<string>();
  await using opened = await openSession('ends-subscriptions', { listeners: { onListChanged: changed.resolve } });
  await opened.session.listTools({ signal });
  await opened.text('end_stream');
  const refused = opened.session.request('resources/subscribe', { uri: 'test://refused' }, { signal });
  expect(await failureOf(refused)).toMatchObject({ code: 'server-error', rpc: { message: 'Not that one' } });
  expect(await changed.promise).toBe('tools');
});

test('a resource is watched by a stream of its own kind, and let go', async () => {
  await using opened = await openSession('ends-subscriptions');
  await opened.session.request('resources/subscribe', { uri: 'test://a' }, { signal });
  await opened.session.request('resources/unsubscribe', { uri: 'test://a' }, { signal });
  expect(await opened.call('listens')).toEqual([lists, { ...lists, resourceSubscriptions: ['test://a'] }, lists]);
});

test('the level of the log goes along with each request', async () => {
  await using opened = await openSession('ends-subscriptions');
  expect(await opened.text('level')).toBe('undefined');
  await opened.session.request('logging/setLevel', { level: 'debug' }, { signal });
  expect(await opened.text('level')).toBe('debug');
});

test('ping is answered by whatever a server of that revision has', async () => {
  await using opened = await openSession('ends-subscriptions');
  expect(await opened.session.request('ping', {}, { signal })).toEqual({});
});

test('the end of the session ends the stream and what waits for it', async () => {
  await using opened = await openSession('ends-subscriptions');
  await opened.session.close();
  const late = opened.session.request('resources/subscribe', { uri: 'test://a' }, { signal });
  expect(await failureOf(late)).toMatchObject({ name: 'SessionLostError' });
});
