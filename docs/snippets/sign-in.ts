import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { isManagerError } from '@x/mcp-client-manager';
import { startOAuthServer, startProtectedEcho } from '@x/test-servers';
import { listenToConsole } from './stage/console.js';
import { openProject } from './stage/project.js';

const folder = openProject();
const heard = listenToConsole();
await using login = await startOAuthServer();
await using tickets = await startProtectedEcho(login);
const ticketsUrl = tickets.url;
let pages = 0;

/** Stands in for a browser whose user agrees at once. */
async function openInBrowser(page: string): Promise<void> {
  pages += 1;
  await fetch(page);
}

// #region sign-in
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createClientManager } from '@x/mcp-client-manager';
import { createFileTokenStore, createOAuthProvider } from '@x/mcp-client-manager/auth';

await using manager = createClientManager(
  { servers: [{ name: 'tickets', url: ticketsUrl }] }, // such as https://tickets.example.com/mcp
  {
    auth: createOAuthProvider({
      store: createFileTokenStore(join(homedir(), '.my-app', 'sign-ins.json')),
      openUrl: (url) => openInBrowser(url.href), // `open` from npm, or whatever your host opens pages with
      clientName: 'My app',
    }),
  },
);

await manager.server('tickets').authorize(); // the page opens; resolves when the user is back and the server is ready
console.log(await manager.callTool('tickets', 'echo', { text: 'hello' }));
// #endregion sign-in

assert.match(heard.lines.join('\n'), /hello/);
assert.equal(pages, 1);
const { mode } = await stat(join(folder, '.my-app/sign-ins.json'));
assert.equal(mode & 0o777, 0o600);
login.expireTokens();
await manager.callTool('tickets', 'echo', { text: 'renewed' });
assert.equal(pages, 1, 'a token that ran out is renewed without a page');

const store = createFileTokenStore(join(folder, 'other.json'));
const openUrl = (url: URL) => openInBrowser(url.href);
const config = { servers: [{ name: 'tickets', url: ticketsUrl, auth: { provider: 'oauth' } }] };
await signInThoseThatAsk();

async function signInThoseThatAsk(): Promise<void> {
  // #region chosen
  const oauth = createOAuthProvider({ store, openUrl });
  await using manager = createClientManager(config, {
    auth: (server) => (server.provider === 'oauth' ? oauth(server) : undefined),
  });
  // #endregion chosen
  await assert.rejects(
    manager.callTool('tickets', 'echo', { text: 'hello' }),
    (error) => isManagerError(error) && error.code === 'auth-required',
  );
  assert.equal(pages, 1, 'nobody is asked by surprise');
  // #region those-that-ask
  for (const server of manager.servers()) {
    if (server.phase === 'auth-required') await server.authorize({ signal: AbortSignal.timeout(120_000) });
  }
  // #endregion those-that-ask
  assert.equal(pages, 2);
  assert.equal(manager.server('tickets').state, 'running');
}

const { issuer } = login;
const { secret: clientSecret } = login.machine;

// #region machine
import { createClientCredentialsProvider } from '@x/mcp-client-manager/auth';

const auth = createClientCredentialsProvider({
  clientId: 'machine',
  clientSecret, // from your secret store
  issuer, // such as https://login.example.com: the secret goes to this authorization server and to no other
});
// #endregion machine

await signInAsMachine();
await bringToken();

async function signInAsMachine(): Promise<void> {
  await using manager = createClientManager(config, { auth });
  await manager.callTool('tickets', 'echo', { text: 'nobody was asked' });
  assert.equal(pages, 2);
}

async function bringToken(): Promise<void> {
  const authorization = `Basic ${Buffer.from(`machine:${login.machine.secret}`).toString('base64')}`;
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  const answer = await fetch(`${login.issuer}/token`, { method: 'POST', headers: { authorization }, body });
  const { access_token } = (await answer.json()) as { access_token: string };
  const readToken = () => access_token;
  // #region token
  await using manager = createClientManager(config, { auth: () => ({ token: async () => readToken() }) });
  // #endregion token
  await manager.callTool('tickets', 'echo', { text: 'with its token' });
}

// #region keychain
import { AsyncEntry } from '@napi-rs/keyring';
import type { TokenStore } from '@x/mcp-client-manager/auth';

const entry = (key: string) => new AsyncEntry('my-app', key);
const keychain: TokenStore = {
  read: async (key) => (await entry(key).getPassword()) ?? undefined,
  write: async (key, value) => entry(key).setPassword(value),
  remove: async (key) => void (await entry(key).deletePassword()),
};
// #endregion keychain

await findKeychain();

async function findKeychain(): Promise<void> {
  const found = await keychain.read('an address that nobody has signed in to').catch(() => undefined); // no keychain here
  assert.equal(found, undefined);
}
