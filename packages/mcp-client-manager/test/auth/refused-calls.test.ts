import { afterEach, expect, test } from 'vitest';
import type { AuthSource, OAuthSource } from '../../src/auth/auth-source.js';
import { SentTokens, silentAuth } from '../../src/auth/silent-auth.js';
import { answerJson, type ScriptedHttp, startScriptedHttp, textResult } from '../helpers/scripted-http.js';
import { failureOf, managerWith, stateOf, textOf } from '../helpers/servers.js';

let server: ScriptedHttp;
let valid: string;
/** The tokens of refused requests, in the order they came. */
let refused: string[];
/** How often a call took effect. */
let effects: number;
afterEach(() => server.close());

/** A server that takes one token at a time. */
async function managerFor(source: AuthSource) {
  valid = 'one';
  refused = [];
  effects = 0;
  server = await startScriptedHttp({
    onRequest: (request, response) => {
      const token = String(request.headers.authorization).replace('Bearer ', '');
      if (token === valid) return false;
      refused.push(token);
      response.writeHead(401).end();
      return true;
    },
    onCall: ({ id, response }) => {
      effects += 1;
      answerJson(response, id, textResult('done'));
    },
  });
  const manager = managerWith({ auth: () => source }, { name: 'web', url: server.url, protocol: 'legacy' });
  await manager.server('web').start();
  return manager;
}

test('repeats a call once with a renewed token, and runs it once', async () => {
  let next = 'one';
  const source: AuthSource = {
    token: async () => {
      const token = next;
      next = valid;
      return token;
    },
  };
  await using manager = await managerFor(source);
  valid = 'two';
  expect(textOf(await manager.callTool('web', 'act'))).toBe('done');
  expect(refused).toEqual(['one']);
  expect(effects).toBe(1);
  expect(manager.server('web').status.restarts).toBe(0);
});

test('repeats calls that are refused together once each, and runs them once', async () => {
  let token = 'one';
  const source: AuthSource = {
    token: async () => token,
    onUnauthorized: async () => {
      token = valid;
    },
  };
  await using manager = await managerFor(source);
  valid = 'two';
  const results = await Promise.all(Array.from({ length: 10 }, () => manager.callTool('web', 'act')));
  expect(results.map(textOf)).toEqual(Array(10).fill('done'));
  expect(effects).toBe(10);
  expect(manager.server('web').status.restarts).toBe(0);
});

test.each<[string, AuthSource, number]>([
  ['has no other', { token: async () => 'one' }, 1],
  ['gives another that is refused, too', { token: async () => 'one', onUnauthorized: async () => undefined }, 2],
])('does not repeat a call whose sign-in %s, and the server waits for a sign-in', async (_, source, times) => {
  await using manager = await managerFor(source);
  valid = 'two';
  const waiting = stateOf(manager, 'web', 'auth-required');
  const failure = await failureOf(manager.callTool('web', 'act'));
  expect(failure).toMatchObject({
    code: 'auth-required',
    retryable: false,
    message: expect.stringContaining('it refused the token (HTTP 401)'),
  });
  const asked = server.log.filter((method) => method === 'tools/call').length;
  expect([asked, effects]).toEqual([0, 0]);
  expect(refused.slice(0, times)).toEqual(Array(times).fill('one'));
  await waiting;
});

test('does not renew after a late refusal of an older token', async () => {
  const sentTokens = new SentTokens();
  const answer = async (): Promise<Response> => new Response(null, { status: 401 });
  const response = await sentTokens.record(answer)('http://localhost/', { headers: { authorization: 'Bearer old' } });
  const requests: unknown[] = [];
  const source = {
    redirectUrl: undefined,
    clientMetadata: {},
    clientInformation: () => ({ client_id: 'x' }),
    tokens: () => ({ access_token: 'new', token_type: 'Bearer' }),
    saveTokens: () => undefined,
    redirectToAuthorization: () => undefined,
    saveCodeVerifier: () => undefined,
    codeVerifier: () => '',
  } satisfies OAuthSource;
  const fetch = async (url: string | URL): Promise<Response> => {
    requests.push(url);
    return new Response(null, { status: 404 });
  };
  const { onUnauthorized } = silentAuth(source, { fetch, sentTokens });
  await onUnauthorized?.({ response, serverUrl: new URL('http://localhost/'), fetchFn: fetch });
  expect(requests).toEqual([]);
});
