import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { type OAuthServer, type ProtectedEcho, startOAuthServer, startProtectedEcho } from '@x/test-servers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AuthPlug } from '../../src/auth/auth-plug.js';
import type { AuthSource } from '../../src/auth/auth-source.js';
import { createClientCredentialsProvider } from '../../src/auth/client-credentials.js';
import type { OAuthProviderOptions } from '../../src/auth/oauth-policy.js';
import { createOAuthProvider } from '../../src/auth/oauth-provider.js';
import { createFileTokenStore, type TokenStore } from '../../src/auth/token-store.js';
import type { ClientManager } from '../../src/manager.js';
import type { HttpServerSpec } from '../../src/spec.js';
import { startModernHttp } from '../helpers/modern-http.js';
import { failureOf, managerWith, stateOf, textOf } from '../helpers/servers.js';

let authorization: OAuthServer;
let echo: ProtectedEcho;
let store: TokenStore;
let directory: string;
/** All output, searched for secrets. */
let told: unknown[];

beforeEach(async () => {
  authorization = await startOAuthServer();
  echo = await startProtectedEcho(authorization);
  directory = await mkdtemp(join(tmpdir(), 'sign-in-'));
  store = createFileTokenStore(join(directory, 'sign-ins.json'));
  told = [];
  for (const method of ['log', 'warn', 'error', 'info'] as const) {
    vi.spyOn(console, method).mockImplementation((...args) => void told.push(...args));
  }
});

afterEach(async () => {
  vi.restoreAllMocks();
  await echo.close();
  await authorization.close();
  await rm(directory, { recursive: true });
  const text = inspect(told, { depth: 20, maxStringLength: null });
  for (const secret of authorization.secrets) expect(text).not.toContain(secret);
});

/** A person with a browser who agrees to everything. */
async function agree(url: URL): Promise<void> {
  const response = await fetch(url);
  await response.text();
}

function oauth(options: Partial<OAuthProviderOptions> = {}): AuthPlug {
  return createOAuthProvider({ store, openUrl: agree, ...options });
}

function managerFor(auth: AuthPlug | undefined, extras: Partial<HttpServerSpec> = {}): ClientManager {
  const manager = managerWith({ auth }, { name: 'web', url: echo.url, ...extras });
  for (const event of ['server-state', 'server-log', 'server-health'] as const) {
    manager.events.on(event, (payload) => void told.push(payload));
  }
  return manager;
}

/** The complete output of a failure. */
async function failure(promise: Promise<unknown>): Promise<unknown> {
  const error = await failureOf(promise);
  told.push(error);
  return error;
}

const tokenRequests = (): string[] => authorization.log.filter((entry) => entry.startsWith('token'));

test.each(['auto', 'legacy', '2026-07-28'] as const)(
  'a server that requires a sign-in waits for it, opens no page by itself, and then runs (%s)',
  async (protocol) => {
    await using manager = managerFor(oauth(), { protocol });
    const web = manager.server('web');
    expect(await failure(web.callTool('echo', { text: 'x' }))).toMatchObject({
      code: 'auth-required',
      message: expect.stringContaining('Call authorize() of the managed server "web" to sign in.'),
    });
    expect(web.phase).toBe('auth-required');
    expect(authorization.log).toEqual([]);
    await web.authorize();
    expect(authorization.log).toEqual(['register', 'authorize', 'token authorization_code']);
    expect(textOf(await web.callTool('echo', { text: 'hello' }))).toBe('hello');
  },
);

test('another process with the same file is signed in', async () => {
  await using first = managerFor(oauth());
  await first.server('web').authorize();
  await using second = managerFor(oauth());
  expect(textOf(await second.callTool('web', 'echo', { text: 'hello' }))).toBe('hello');
  expect(authorization.log.filter((entry) => entry === 'authorize')).toHaveLength(1);
  const keys = Object.keys(JSON.parse(await readFile(join(directory, 'sign-ins.json'), 'utf8')));
  expect(keys.toSorted()).toEqual([`${echo.url}#client`, `${echo.url}#tokens`]);
});

test('renews an expired token once for all calls', async () => {
  await using manager = managerFor(oauth());
  const web = manager.server('web');
  await web.authorize();
  authorization.expireTokens();
  const calls = Array.from({ length: 5 }, (_, index) => web.callTool('echo', { text: String(index) }));
  expect((await Promise.all(calls)).map(textOf)).toEqual(['0', '1', '2', '3', '4']);
  expect(tokenRequests()).toEqual(['token authorization_code', 'token refresh_token']);
  expect(web.status.restarts).toBe(0);
});

test('the server waits for a sign-in if the renewal fails', async () => {
  await using manager = managerFor(oauth());
  const web = manager.server('web');
  await web.authorize();
  authorization.revokeAll();
  const waits = stateOf(manager, 'web', 'auth-required');
  expect(await failure(web.callTool('echo', { text: 'x' }))).toMatchObject({ code: 'auth-required' });
  await waits;
  await web.authorize();
  expect(textOf(await web.callTool('echo', { text: 'again' }))).toBe('again');
  expect(authorization.log.filter((entry) => entry === 'register')).toHaveLength(1);
});

test('only the call without its scope fails, and the next sign-in requests the scope', async () => {
  await using manager = managerFor(oauth());
  const web = manager.server('web');
  await web.authorize();
  echo.asksFor = 'write';
  expect(await failure(web.callTool('echo', { text: 'x' }))).toMatchObject({
    code: 'auth-required',
    message: expect.stringContaining('it requires more access than was granted (scope "write")'),
  });
  expect(await failure(web.discoverTools())).toMatchObject({
    code: 'auth-required',
    message: expect.stringContaining('it requires more access than was granted (scope "write")'),
  });
  expect(authorization.log.filter((entry) => entry === 'authorize')).toHaveLength(1);
  expect(web.status).toMatchObject({ phase: 'ready', restarts: 0 });
  echo.asksFor = undefined;
  await web.authorize();
  expect(authorization.askedFor).toEqual([null, 'write']);
});

test('concurrent renewals of two processes keep both signed in', async () => {
  await using first = managerFor(oauth());
  await first.server('web').authorize();
  await using second = managerFor(oauth());
  await second.server('web').start();
  authorization.expireTokens();
  const results = await Promise.all([
    first.callTool('web', 'echo', { text: 'one' }),
    second.callTool('web', 'echo', { text: 'two' }),
  ]);
  expect(results.map(textOf)).toEqual(['one', 'two']);
  expect(tokenRequests()).toEqual(['token authorization_code', 'token refresh_token']);
});

test('waits while the authorization server is down', async () => {
  await using manager = managerFor(oauth(), { restart: { onFailure: false } });
  const web = manager.server('web');
  await web.authorize();
  await web.stop();
  authorization.expireTokens();
  authorization.tokenStatus = 503;
  expect(await failure(web.start())).toMatchObject({ code: 'start-failed', cause: { code: 'handshake-refused' } });
  authorization.tokenStatus = undefined;
  await web.start();
  expect(textOf(await web.callTool('echo', { text: 'back' }))).toBe('back');
});

test('distinguishes a refusal, a timeout and a cancelled sign-in', async () => {
  authorization.denies = true;
  await using manager = managerFor(oauth());
  expect(await failure(manager.server('web').authorize())).toMatchObject({
    code: 'auth-required',
    message: 'Server "web": the sign-in was refused.',
  });
  await using slow = managerFor(oauth({ openUrl: () => undefined, timeoutMs: 20 }));
  expect(await failure(slow.server('web').authorize())).toMatchObject({
    code: 'auth-required',
    message:
      'The sign-in to server "web" failed: the user did not sign in within 20 ms. Call authorize() to try again.',
  });
  const end = new AbortController();
  const reason = new Error('enough');
  await using patient = managerFor(oauth({ openUrl: () => end.abort(reason) }));
  expect(await failure(patient.server('web').authorize({ signal: end.signal }))).toBe(reason);
});

test('refuses a second sign-in to one address, and names only its origin', async () => {
  const { promise: opened, resolve } = promiseWithResolver();
  const end = new AbortController();
  const source = oauth({ openUrl: resolve })({
    name: 'web',
    url: `${echo.url}/key-1234`,
    provider: undefined,
    scopes: [],
  });
  if (!source || !('openCallback' in source) || !source.openCallback) throw new Error('an OAuth client was expected');
  await using manager = managerWith({ auth: () => source }, { name: 'web', url: echo.url });
  const first = failure(manager.server('web').authorize({ signal: end.signal }));
  await opened;
  expect(await failure(manager.server('web').authorize())).toMatchObject({
    code: 'auth-required',
    message: `The sign-in to server "web" failed: a sign-in to ${echo.origin} is already in progress. Call authorize() to try again.`,
  });
  const reason = new Error('enough');
  end.abort(reason);
  expect(await first).toBe(reason);
});

test('close ends a sign-in and its listener', async () => {
  let callback = '';
  const { promise: opened, resolve } = promiseWithResolver();
  const manager = managerFor(
    oauth({
      openUrl: (url) => {
        callback = url.searchParams.get('redirect_uri') ?? '';
        resolve();
      },
    }),
  );
  const signIn = failure(manager.server('web').authorize());
  await opened;
  await manager.close();
  expect(await signIn).toMatchObject({ code: 'closed' });
  expect(await failureOf(fetch(callback))).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
});

test('does not open a page without a web URL', async () => {
  const opened: string[] = [];
  const plug = oauth({ openUrl: (url) => void opened.push(url.href) });
  const source = plug({ name: 'web', url: echo.url, provider: undefined, scopes: [] });
  if (!source || !('redirectToAuthorization' in source)) throw new Error('an OAuth client was expected');
  for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'http://as.example/', 'vscode://x']) {
    await expect(async () => source.redirectToAuthorization(new URL(url))).rejects.toThrow('must have an https URL');
  }
  await source.redirectToAuthorization(new URL('https://as.example/authorize?x=1'));
  expect(opened).toEqual(['https://as.example/authorize?x=1']);
});

test('sends the headers of a server only to that server during a sign-in', async () => {
  const seen = vi.spyOn(globalThis, 'fetch');
  await using manager = managerFor(oauth(), { headers: { 'X-Key': 'key' } });
  await manager.server('web').authorize();
  const origins = seen.mock.calls
    .filter(([, init]) => new Headers(init?.headers).has('x-key'))
    .map(([url]) => new URL(String(url)).origin);
  expect(new Set(origins)).toEqual(new Set([echo.origin]));
});

test('a program signs in with its own credentials, and again when its token expires', async () => {
  const { id: clientId, secret: clientSecret } = authorization.machine;
  const auth = createClientCredentialsProvider({ clientId, clientSecret, issuer: authorization.issuer });
  await using manager = managerFor(auth);
  expect(textOf(await manager.callTool('web', 'echo', { text: 'one' }))).toBe('one');
  authorization.expireTokens();
  expect(textOf(await manager.callTool('web', 'echo', { text: 'two' }))).toBe('two');
  expect(tokenRequests()).toEqual(['token client_credentials', 'token client_credentials']);
});

test('refuses a program with a wrong secret, or for another authorization server', async () => {
  const options = { clientId: 'machine', clientSecret: 'secret-wrong', issuer: authorization.issuer };
  authorization.secrets.add(options.clientSecret);
  await using wrong = managerFor(createClientCredentialsProvider(options));
  expect(await failure(wrong.server('web').start())).toMatchObject({
    code: 'auth-required',
    message: expect.stringContaining('the authorization server answered "invalid_client"'),
  });
  const before = tokenRequests().length;
  await using elsewhere = managerFor(createClientCredentialsProvider({ ...options, issuer: 'https://as.example' }));
  expect(await failure(elsewhere.server('web').start())).toMatchObject({ code: 'auth-required' });
  expect(tokenRequests()).toHaveLength(before);
});

test('calls a source of tokens before each request, and after a refusal', async () => {
  await using manager = managerFor(oauth());
  await manager.server('web').authorize();
  const { access_token: good } = JSON.parse((await store.read(`${echo.url}#tokens`)) ?? '{}');
  let token = 'secret-stale';
  const source: AuthSource = {
    token: async () => token,
    onUnauthorized: async () => {
      token = good;
    },
  };
  await using other = managerFor(() => source);
  expect(textOf(await other.callTool('web', 'echo', { text: 'hello' }))).toBe('hello');
  expect(await failure(other.server('web').authorize())).toMatchObject({ code: 'unsupported' });
});

test('reports a missing auth source', async () => {
  await using manager = managerFor(undefined);
  expect(await failure(manager.server('web').authorize())).toMatchObject({
    code: 'unsupported',
    message: `Server "web" cannot be signed in to: the manager's "auth" returns no auth source for it.`,
  });
});

test.each([
  [{ redirectPort: 70_000 }, 'redirectPort'],
  [{ timeoutMs: 0 }, 'timeoutMs'],
  [{ client: { id: 'x', secret: 'y' } }, 'client.issuer'],
  [{ clientMetadataUrl: 'http://x.example/y' }, 'clientMetadataUrl'],
])('refuses invalid options by name: %j', (options, name) => {
  expect(() => oauth(options)).toThrow(new RegExp(name));
});

function promiseWithResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((onResolve) => {
    resolve = onResolve;
  });
  return { promise, resolve };
}

test('waits for a sign-in that the server requires after the handshake', async () => {
  await using server = await startModernHttp({
    onMessage: (method, _, response) => {
      if (method === 'server/discover') return false;
      response.writeHead(401).end();
      return true;
    },
  });
  await using manager = managerWith({}, { name: 'half', url: server.url });
  expect(await failure(manager.server('half').start())).toMatchObject({
    code: 'auth-required',
    message: expect.stringContaining('Server "half" requires a sign-in: it answered HTTP 401.'),
  });
  await stateOf(manager, 'half', 'auth-required');
});
