import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks, serveOnLoopback } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { connectHttp, post } from '../helpers/http-client.js';
import { project, serversFile } from '../helpers/project.js';
import { replaceFile } from '../helpers/replace-file.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { startServing } from '../helpers/serving.js';
import { until } from '../helpers/until.js';

afterEach(expectNoLeaks);

const files = {
  'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]),
  'tools.yaml': `tools: { app: { role_restrictions: {
    review: { allowed_tools: [files.echo] }, build: { allowed_tools: [files.pid] } } } }`,
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const sha256 = (token: string) => createHash('sha256').update(token).digest('hex');

async function toolsOf(url: string, token: string): Promise<readonly string[]> {
  await using connection = await connectHttp(url, { token });
  const { tools } = await connection.client.listTools();
  return tools.map(({ name }) => name).sort();
}
const reviewed = ['mcp__files__echo', 'search_mcp_tools'];
const built = ['mcp__files__pid', 'search_mcp_tools'];

describe('--tokens-file', () => {
  async function withTokens(tokens: readonly object[]) {
    const here = await project(files);
    await writeFile(join(here.folder, 'tokens.yaml'), JSON.stringify({ tokens }), { mode: 0o600 });
    return here;
  }

  test('each token has its own role, by default that of --role', async () => {
    const tokens = [
      { id: 'alice', role: 'review', token: 'token-of-alice-here' },
      { id: 'ci', role: 'build', sha256: sha256('token-of-ci-is-here') },
      { id: 'bob', token: 'token-of-bob-is-here' },
    ];
    await using here = await withTokens(tokens);
    await using serving = await startServing(here.folder, ['--tokens-file', 'tokens.yaml', '--role', 'build']);
    expect(await toolsOf(serving.url, 'token-of-alice-here')).toEqual(reviewed);
    expect(await toolsOf(serving.url, 'token-of-ci-is-here')).toEqual(built);
    expect(await toolsOf(serving.url, 'token-of-bob-is-here')).toEqual(built);
    expect((await post(serving.url, bearer('token-of-nobody-here'))).status).toBe(401);
    expect((await post(serving.url, bearer(sha256('token-of-ci-is-here')))).status).toBe(401);
    expect((await post(serving.url)).status).toBe(401);
    expect(serving.stderr()).not.toContain('token-of-');
  });

  test.each([
    [{ id: 'bob', token: 'token-of-bob-is-here' }, '"bob" has no role'],
    [{ id: 'bob', role: 'admin', token: 'token-of-bob-is-here' }, '"bob" has the role "admin", which does not exist'],
  ])('a missing or unknown role is reported at the start: %j', async (entry, reason) => {
    await using here = await withTokens([entry]);
    const args = ['serve', '--own-servers', '--http', '--port', '0', '--tokens-file', 'tokens.yaml'];
    const { exitCode, stderr } = await runMcpx(args, { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.usage);
    expect(stderr).toContain(reason);
    expect(stderr).toContain('Roles in the config: review, build.');
    expect(stderr).not.toContain('token-of-');
  });

  test('follows its tokens file: revoked, changed and new tokens, and roles that are new', async () => {
    const alice = { id: 'alice', role: 'review', token: 'token-of-alice-here' };
    const bob = { id: 'bob', role: 'review', token: 'token-of-bob-is-here' };
    await using here = await withTokens([alice, bob]);
    const write = (name: string, text: string) => replaceFile(join(here.folder, name), text, 0o600);
    await using serving = await startServing(here.folder, ['--tokens-file', 'tokens.yaml']);
    expect(await toolsOf(serving.url, alice.token)).toEqual(reviewed);
    const roles = { review: { allowed_tools: ['files.echo'] }, deploy: { allowed_tools: ['files.pid'] } };
    await write('tools.yaml', JSON.stringify({ tools: { app: { role_restrictions: roles } } }));
    await serving.seen(/Rules have changed: .*"deploy"/);
    const carol = { id: 'carol', role: 'deploy', token: 'token-of-carol-here' };
    await write('tokens.yaml', JSON.stringify({ tokens: [{ ...bob, role: 'deploy' }, carol] }));
    await until(async () => (await post(serving.url, bearer(alice.token))).status === 401);
    expect(await toolsOf(serving.url, bob.token)).toEqual(built);
    expect(await toolsOf(serving.url, carol.token)).toEqual(built);
    await write('tokens.yaml', JSON.stringify({ tokens: [{ ...carol, role: 'nothere' }] }));
    await serving.seen(/warning: .*tokens.*: this gateway runs the version of/);
    expect(await toolsOf(serving.url, bob.token)).toEqual(built);
    await write('tokens.yaml', JSON.stringify({ tokens: [carol] }));
    serving.hangUp();
    await until(async () => (await post(serving.url, bearer(bob.token))).status === 401);
    expect(serving.stderr()).not.toContain('token-of-');
  });

  test('one token for two callers is refused', async () => {
    const token = 'token-of-two-callers';
    await using here = await withTokens([
      { id: 'a', role: 'review', token },
      { id: 'b', role: 'build', sha256: sha256(token) },
    ]);
    const args = ['serve', '--own-servers', '--http', '--port', '0', '--tokens-file', 'tokens.yaml'];
    const { exitCode, stderr } = await runMcpx(args, { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.usage);
    expect(stderr).toContain('the same token');
    expect(stderr).not.toContain(token);
  });
});

describe('--jwt-issuer', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = 'https://login.example.com';
  const audience = 'https://tools.example.com/mcp';

  function signed(claims: Readonly<Record<string, unknown>>): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const exp = Math.floor(Date.now() / 1_000) + 600;
    const text = `${part({ alg: 'ES256', kid: 'one' })}.${part({ iss: issuer, aud: audience, sub: 'alice', exp, ...claims })}`;
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  }

  async function withIssuer() {
    const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' }];
    const { origin, close } = await serveOnLoopback((_, response) => response.end(JSON.stringify({ keys })));
    const args = ['--jwt-issuer', issuer, '--jwks-url', `${origin}/keys`, '--jwt-audience', audience];
    return { args, [Symbol.asyncDispose]: close };
  }

  test('a signed token has the role of its claim; without a known role it gets nothing', async () => {
    await using here = await project(files);
    await using keys = await withIssuer();
    await using serving = await startServing(here.folder, keys.args);
    expect(await toolsOf(serving.url, signed({ role: 'review' }))).toEqual(reviewed);
    expect(await toolsOf(serving.url, signed({ role: ['build'] }))).toEqual(built);
    const statusOf = async (claims: object) => (await post(serving.url, bearer(signed({ ...claims })))).status;
    expect(await statusOf({})).toBe(403);
    expect(await statusOf({ role: 'admin' })).toBe(403);
    expect(await statusOf({ role: ['review', 'build'] })).toBe(403);
    expect(await statusOf({ role: { review: true } })).toBe(403);
    expect(await statusOf({ role: 'review', aud: 'https://other.example.com' })).toBe(401);
    expect(await statusOf({ role: 'review', iss: 'https://evil.example.com' })).toBe(401);
    expect(await statusOf({ role: 'review', exp: 1 })).toBe(401);
  });

  test('--role applies to tokens without a role, never to tokens with an unknown one', async () => {
    await using here = await project(files);
    await using keys = await withIssuer();
    const args = [...keys.args, '--role', 'build', '--jwt-role-claim', 'mcp_role'];
    await using serving = await startServing(here.folder, args);
    expect(await toolsOf(serving.url, signed({ role: 'review' }))).toEqual(built);
    expect(await toolsOf(serving.url, signed({ mcp_role: 'review' }))).toEqual(reviewed);
    expect((await post(serving.url, bearer(signed({ mcp_role: 'admin' })))).status).toBe(403);
    expect((await post(serving.url, bearer(signed({ mcp_role: [] })))).status).toBe(403);
  });

  test('a client without a token learns where to get one', async () => {
    await using here = await project(files);
    await using keys = await withIssuer();
    await using serving = await startServing(here.folder, [...keys.args, '--public-url', audience]);
    const refused = await post(serving.url);
    expect(refused.status).toBe(401);
    const document = 'https://tools.example.com/.well-known/oauth-protected-resource/mcp';
    expect(refused.headers.get('www-authenticate')).toContain(`resource_metadata="${document}"`);
    const told = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', serving.url));
    expect(await told.json()).toMatchObject({ resource: audience, authorization_servers: [issuer] });
  });

  test('accepts tokens of a file beside signed ones', async () => {
    await using here = await project(files);
    const tokens = [{ id: 'ci', role: 'build', token: 'token-of-ci-is-here' }];
    await writeFile(join(here.folder, 'tokens.yaml'), JSON.stringify({ tokens }), { mode: 0o600 });
    await using keys = await withIssuer();
    await using serving = await startServing(here.folder, [...keys.args, '--tokens-file', 'tokens.yaml']);
    expect(await toolsOf(serving.url, 'token-of-ci-is-here')).toEqual(built);
    expect(await toolsOf(serving.url, signed({ role: 'review' }))).toEqual(reviewed);
  });

  test('a signed token and a listed token with the same name are different callers', async () => {
    await using here = await project(files);
    const tokens = [{ id: 'ci', role: 'build', token: 'token-of-ci-is-here' }];
    await writeFile(join(here.folder, 'tokens.yaml'), JSON.stringify({ tokens }), { mode: 0o600 });
    await using keys = await withIssuer();
    {
      const args = [...keys.args, '--tokens-file', 'tokens.yaml', '--audit', 'audit.jsonl'];
      await using serving = await startServing(here.folder, args);
      await toolsOf(serving.url, 'token-of-ci-is-here');
      await toolsOf(serving.url, signed({ sub: 'ci', role: 'build' }));
    }
    const lines = (await readFile(join(here.folder, 'audit.jsonl'), 'utf8')).trim().split('\n');
    const principals = new Set(lines.map((line) => JSON.parse(line).principal));
    expect(principals).toEqual(new Set(['ci', `${issuer}|ci`]));
  });
});
