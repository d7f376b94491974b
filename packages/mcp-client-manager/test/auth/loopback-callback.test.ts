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

test('receives the code, and shows none of it in the page', async () => {
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

test('ignores requests with another state or path', async () => {
  const { url, received } = await open();
  expect((await fetch(`${url}?code=evil`)).status).toBe(400);
  expect((await fetch(`${url}?state=the+statf&code=evil`)).status).toBe(400);
  expect((await fetch(url.replace('/callback', '/?state=the+state&code=evil'))).status).toBe(404);
  expect((await fetch(`${url}?state=the+state&code=evil`, { method: 'POST' })).status).toBe(404);
  await fetch(`${url}?state=the+state&code=good`);
  expect((await received).get('code')).toBe('good');
});

test('accepts only the first request', async () => {
  const { url, received } = await open();
  await fetch(`${url}?state=the+state&code=first`);
  await fetch(`${url}?state=the+state&code=second`);
  expect((await received).get('code')).toBe('first');
});

test('close ends the listener and rejects the wait', async () => {
  const { url, received, close } = await open();
  await Promise.all([close(), close()]);
  expect(await failureOf(received)).toMatchObject({ message: 'the sign-in was cancelled' });
  expect(await failureOf(fetch(url))).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
});

test('ends after its time limit, and with its signal', async () => {
  expect(await failureOf((await open({ timeoutMs: 1 })).received)).toMatchObject({
    message: 'the user did not sign in within 1 ms',
  });
  await callback?.close();
  const { received } = await open();
  const reason = new Error('enough');
  end.abort(reason);
  expect(await failureOf(received)).toBe(reason);
  await callback?.close();
  expect(await failureOf(open())).toBe(reason);
});

test('ends with a signal that aborts before it listens', async () => {
  const opening = open({ timeoutMs: 1_000 });
  const reason = new Error('enough');
  end.abort(reason);
  expect(await failureOf((await opening).received)).toBe(reason);
});

test('reports a port in use', async () => {
  const { url } = await open();
  const second = openLoopbackCallback({
    port: Number(new URL(url).port),
    state: 'x',
    timeoutMs: 1_000,
    signal: end.signal,
  });
  expect(await failureOf(second)).toMatchObject({ code: 'EADDRINUSE' });
});
