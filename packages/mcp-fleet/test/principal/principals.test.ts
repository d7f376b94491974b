import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { decodeJwt } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import {
  createNodeKey,
  createPrincipals,
  type NodeKey,
  type PrincipalsOptions,
} from '../../src/principal/principals.js';

const program = createRequire(import.meta.url).resolve('./fixtures/without-ed25519.ts');
let key: NodeKey;
beforeAll(async () => {
  key = await createNodeKey();
});

const START_MS = 1_700_000_000_000;

function principalsAt(options: Partial<PrincipalsOptions> = {}) {
  const clock = { nowMs: START_MS };
  const principals = createPrincipals({
    ...{ node: 'edge', incarnation: 3, privateKey: key.privateKey, clock: () => clock.nowMs },
    ...options,
  });
  return { clock, principals };
}

test('a principal names its node, the one node that it is for, and the caller', async () => {
  const { principals } = principalsAt();
  expect(decodeJwt(await principals.tokenFor('owner', { principal: 'alice', role: 'review' }))).toEqual({
    iss: 'edge',
    aud: 'owner',
    inc: 3,
    sub: 'alice',
    role: 'review',
    iat: START_MS / 1_000,
    exp: START_MS / 1_000 + 60,
    jti: expect.any(String),
  });
});

test('a token without a principal has no subject', async () => {
  const claims = decodeJwt(await principalsAt().principals.tokenFor('owner'));
  expect(claims).not.toHaveProperty('sub');
  expect(claims).not.toHaveProperty('role');
});

test('a token is reused synchronously for half of its lifetime', async () => {
  const { clock, principals } = principalsAt();
  const first = await principals.tokenFor('owner', { principal: 'alice' });
  clock.nowMs += 29_999;
  expect(principals.tokenFor('owner', { principal: 'alice' })).toBe(first);
  clock.nowMs += 1;
  expect(await principals.tokenFor('owner', { principal: 'alice' })).not.toBe(first);
});

test('calls that begin at the same time share one signature', async () => {
  const { principals } = principalsAt();
  const tokens = await Promise.all(Array.from({ length: 10 }, () => principals.tokenFor('owner')));
  expect(new Set(tokens).size).toBe(1);
});

test('each node, role and principal has its own token', async () => {
  const { principals } = principalsAt();
  const callers = [
    {},
    { principal: '' },
    { role: '' },
    { principal: 'a', role: 'b' },
    { principal: 'b', role: 'a' },
    { principal: 'a' },
  ];
  const tokens = ['owner', 'other'].flatMap((owner) => callers.map((caller) => principals.tokenFor(owner, caller)));
  expect(new Set(await Promise.all(tokens)).size).toBe(tokens.length);
});

test('signs a new token after its clock was set back, because the old one lies in the future', async () => {
  const { clock, principals } = principalsAt();
  const first = await principals.tokenFor('owner');
  clock.nowMs -= 300_000;
  const second = await principals.tokenFor('owner');
  expect(decodeJwt(second).exp).toBe(START_MS / 1_000 - 240);
  expect(second).not.toBe(first);
});

test('a token that a thousand others replaced is signed again', async () => {
  const { principals } = principalsAt();
  const first = await principals.tokenFor('owner', { principal: 'first' });
  await Promise.all(
    Array.from({ length: 1_000 }, (_, index) => principals.tokenFor('owner', { principal: String(index) })),
  );
  expect(await principals.tokenFor('owner', { principal: 'first' })).not.toBe(first);
});

test.each([0, -1, Number.NaN, 600_001])('a lifetime of %s milliseconds is refused', (lifetimeMs) => {
  expect(() => principalsAt({ lifetimeMs })).toThrow(TypeError);
});

test('the private key cannot be exported', async () => {
  expect(key.privateKey).toMatchObject({ extractable: false });
  expect(key.publicKey).toEqual({ kty: 'OKP', crv: 'Ed25519', x: expect.any(String) });
});

test('a node in a runtime without Ed25519 reports unsuitable-runtime and does not join', async () => {
  const args = ['--import', import.meta.resolve('tsx'), program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    told: 'unsuitable-runtime',
    waited: 'This runtime cannot create Ed25519 keys, which nodes need to sign their calls',
    phase: 'failed',
    code: 'unsuitable-runtime',
  });
});
