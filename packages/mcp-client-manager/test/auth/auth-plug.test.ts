import { inspect } from 'node:util';
import { expectNoLeaks, serveOnLoopback } from '@x/test-servers';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { AuthPlug } from '../../src/auth/auth-plug.js';
import type { ClientManager } from '../../src/manager.js';
import { answerJson, startScriptedHttp, textResult } from '../helpers/scripted-http.js';
import { failureOf, managerWith, stateOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

const secret = 's3cr3t-of-the-vault';
const redact = (text: string): string => text.replaceAll(secret, '***');

/** A manager whose one server is never reached: its `auth` comes first. */
async function managerAsking(auth: AuthPlug, startupTimeoutMs = 1_000): Promise<ClientManager> {
  const web = await serveOnLoopback((_, response) => void response.writeHead(500).end());
  onTestFinished(() => web.close());
  return managerWith(
    { auth, redact },
    { name: 'web', url: web.origin, limits: { startupTimeoutMs }, restart: { onFailure: false } },
  );
}

const never: AuthPlug = () => new Promise(() => undefined);

test('an "auth" that never settles ends with the startup timeout, and is named', async () => {
  await using manager = await managerAsking(never);
  const failure = await failureOf(manager.server('web').start());
  expect(failure).toMatchObject({ code: 'start-failed', cause: { code: 'handshake-timed-out' } });
  expect((failure as Error).message).toContain(`the client manager's "auth" did not respond within 1000 ms`);
});

test('a stop does not wait for an "auth" that never settles', async () => {
  await using manager = await managerAsking(never, 60_000);
  const start = failureOf(manager.server('web').start());
  await stateOf(manager, 'web', 'starting');
  await manager.server('web').stop();
  expect(await start).toMatchObject({ code: 'server-stopping' });
});

test('a sign-in ends with its signal, also while "auth" is pending', async () => {
  await using manager = await managerAsking(never);
  const end = new AbortController();
  const signIn = failureOf(manager.server('web').authorize({ signal: end.signal }));
  end.abort(new Error('enough'));
  expect(await signIn).toMatchObject({ message: 'enough' });
});

test.each<[string, AuthPlug]>([
  ['rejects', () => Promise.reject(new Error(`the vault did not take ${secret}`))],
  [
    'throws',
    () => {
      throw new Error(`the vault did not take ${secret}`);
    },
  ],
])('reports an "auth" that %s, without the secret in its message', async (_, auth) => {
  await using manager = await managerAsking(auth);
  const [start, signIn] = [
    await failureOf(manager.server('web').start()),
    await failureOf(manager.server('web').authorize()),
  ];
  const message = expect.stringContaining(`the client manager's "auth" failed for it: the vault did not take ***`);
  expect(start).toMatchObject({ code: 'start-failed', message });
  expect(signIn).toMatchObject({ code: 'auth-required', message });
  expect(inspect([start, signIn, manager.status()], { depth: 10 })).not.toContain(secret);
});

test('does not quote a token that is invalid in a header', async () => {
  await using server = await startScriptedHttp({
    onCall: ({ id, response }) => answerJson(response, id, textResult('done')),
  });
  let token = 'good';
  const auth: AuthPlug = () => ({ token: async () => token });
  await using manager = managerWith({ auth }, { name: 'web', url: server.url, protocol: 'legacy' });
  await manager.callTool('web', 'act');
  token = `${secret}\nx`;
  const failure = await failureOf(manager.callTool('web', 'act'));
  expect(failure).toMatchObject({
    code: 'auth-required',
    message: expect.stringContaining('characters that are invalid in a header'),
  });
  expect(inspect(failure, { depth: 10 })).not.toContain(secret);
});
