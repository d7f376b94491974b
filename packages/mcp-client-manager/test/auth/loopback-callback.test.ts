import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LoopbackCallback, openLoopbackCallback } from '../../src/auth/loopback-callback.js';
import { failureOf } from '../helpers/failure-of.js';

let end: AbortController;
let callback: LoopbackCallback | undefined;
beforeEach(() => {
  end = new AbortController();
});
afterEach(() => callback?.close());

async function open({ port = 0, timeoutMs = 60_000 } = {}): Promise<LoopbackCallback> {
  callback = await openLoopbackCallback({ port, state: 'the state', timeoutMs, signal: end.signal });
  return callback;
}

test('the browser comes back with the code, and its page holds nothing of that', async () => {
  const { url, received } = await open();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const response = await fetch(`${url}?state=the+state&code=the+code&iss=https://as.example`);
  expect(response.status).toBe(200);
  expect(await response.text()).not.toContain('code');
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  expect(Object.fromEntries(await received)).toEqual({
    state: 'the state',
    code: 'the code',
    iss: 'https://as.example',
  });
});

test('whoever comes with another state, or elsewhere, changes nothing', async () => {
  const { url, received } = await open();
  expect((await fetch(`${url}?code=evil`)).status).toBe(400);
  expect((await fetch(`${url}?state=the+statf&code=evil`)).status).toBe(400);
  expect((await fetch(url.replace('/callback', '/?state=the+state&code=evil'))).status).toBe(404);
  expect((await fetch(`${url}?state=the+state&code=evil`, { method: 'POST' })).status).toBe(404);
  await fetch(`${url}?state=the+state&code=good`);
  expect((await received).get('code')).toBe('good');
});

test('the first one counts', async () => {
  const { url, received } = await open();
  await fetch(`${url}?state=the+state&code=first`);
  await fetch(`${url}?state=the+state&code=second`);
  expect((await received).get('code')).toBe('first');
});

test('nobody listens any more when it is closed, and who waits is told', async () => {
  const { url, received, close } = await open();
  await Promise.all([close(), close()]);
  expect(await failureOf(received)).toMatchObject({ message: 'it was given up' });
  expect(await failureOf(fetch(url))).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
});

test('it ends with its time, and with its signal', async () => {
  expect(await failureOf((await open({ timeoutMs: 1 })).received)).toMatchObject({
    message: 'nobody signed in within 1 ms',
  });
  await callback?.close();
  const { received } = await open();
  const reason = new Error('enough');
  end.abort(reason);
  expect(await failureOf(received)).toBe(reason);
  await callback?.close();
  expect(await failureOf(open())).toBe(reason);
});

test('a signal that aborts while it begins to listen ends it, too', async () => {
  const opening = open({ timeoutMs: 1_000 });
  const reason = new Error('enough');
  end.abort(reason);
  expect(await failureOf((await opening).received)).toBe(reason);
});

test('a port that is in use is said to be', async () => {
  const { url } = await open();
  const second = openLoopbackCallback({
    port: Number(new URL(url).port),
    state: 'x',
    timeoutMs: 1_000,
    signal: end.signal,
  });
  expect(await failureOf(second)).toMatchObject({ code: 'EADDRINUSE' });
});
