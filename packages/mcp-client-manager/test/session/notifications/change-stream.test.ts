import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { deferred } from '../../helpers/deferred.js';
import { openSession } from '../../helpers/open-session.js';
import { failureOf } from '../../helpers/servers.js';

afterEach(expectNoLeaks);

const { signal } = new AbortController();
const lists = { toolsListChanged: true, resourcesListChanged: true };

test('opens the stream before the first list, which is requested once', async () => {
  await using opened = await openSession('ends-subscriptions');
  const { tools } = await opened.session.listTools({ signal });
  expect(tools.map(({ name }) => name)).toContain('grow');
  expect(await opened.call('listens')).toEqual([lists]);
  expect(opened.lists).toEqual([]);
});

test('reopens a stream that ends, and reports the lists as changed', async () => {
  const changed = deferred<string>();
  await using opened = await openSession('ends-subscriptions', { listeners: { onListChanged: changed.resolve } });
  await opened.session.listTools({ signal });
  await opened.text('end_stream');
  expect(await changed.promise).toBe('tools');
  const { tools } = await opened.session.listTools({ signal });
  expect(tools.map(({ name }) => name)).toContain('unmentioned_4');
  expect(await opened.call('listens')).toEqual([lists, lists]);
});

test('reopens a stream that ends, also if a subscription is refused meanwhile', async () => {
  const changed = deferred<string>();
  await using opened = await openSession('ends-subscriptions', { listeners: { onListChanged: changed.resolve } });
  await opened.session.listTools({ signal });
  await opened.text('end_stream');
  const refused = opened.session.request('resources/subscribe', { uri: 'test://refused' }, { signal });
  expect(await failureOf(refused)).toMatchObject({ code: 'server-error', rpc: { message: 'Not that one' } });
  expect(await changed.promise).toBe('tools');
});

test('subscribes to a resource through the stream, and unsubscribes', async () => {
  await using opened = await openSession('ends-subscriptions');
  await opened.session.request('resources/subscribe', { uri: 'test://a' }, { signal });
  await opened.session.request('resources/unsubscribe', { uri: 'test://a' }, { signal });
  expect(await opened.call('listens')).toEqual([lists, { ...lists, resourceSubscriptions: ['test://a'] }, lists]);
});

test('sends the log level with each request', async () => {
  await using opened = await openSession('ends-subscriptions');
  expect(await opened.text('level')).toBe('undefined');
  await opened.session.request('logging/setLevel', { level: 'debug' }, { signal });
  expect(await opened.text('level')).toBe('debug');
});

test('replaces ping for servers of that revision', async () => {
  await using opened = await openSession('ends-subscriptions');
  expect(await opened.session.request('ping', {}, { signal })).toEqual({});
});

test('the end of the session ends the stream and its waiters', async () => {
  await using opened = await openSession('ends-subscriptions');
  await opened.session.close();
  const late = opened.session.request('resources/subscribe', { uri: 'test://a' }, { signal });
  expect(await failureOf(late)).toMatchObject({ name: 'SessionLostError' });
});
