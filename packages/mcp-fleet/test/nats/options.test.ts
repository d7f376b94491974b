import { nkeys } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { type NatsBusOptions, openNatsBus } from '../../src/nats.js';

const good: NatsBusOptions = { servers: 'nats://127.0.0.1:1', node: 'A' };
const accountSeed = new TextDecoder().decode(nkeys.createAccount().getSeed());

test.each<[Partial<Record<keyof NatsBusOptions, unknown>>, RegExp]>([
  [{ servers: [] }, /^servers /],
  [{ servers: 'http://127.0.0.1' }, /^servers /],
  [{ servers: 'nats://' }, /^servers /],
  [{ servers: [17] }, /^servers /],
  [{ servers: 'nats://user:s3cret@127.0.0.1' }, /^servers must be without a user/],
  [{ servers: 'ws://user:s3cret@127.0.0.1' }, /^servers /],
  [{ node: '' }, /^node /],
  [{ node: 'a.b' }, /^node /],
  [{ node: undefined }, /^node /],
  [{ fleet: 'a b' }, /^fleet /],
  [{ fleet: 'x'.repeat(65) }, /^fleet /],
  [{ domain: 'a.b' }, /^domain /],
  [{ password: 's3cret' }, /^password needs user/],
  [{ user: 'u', token: 's3cret' }, /^token and user are different ways/],
  [{ token: '' }, /^token /],
  [{ nkeySeed: 's3cret' }, /^nkeySeed /],
  [{ tls: { certFile: 'x' } }, /^tls.certFile and tls.keyFile/],
  [{ storage: 'disk' }, /^storage /],
  [{ replicas: 0 }, /^replicas /],
  [{ connectTimeoutMs: 0 }, /^connectTimeoutMs /],
  [{ requestTimeoutMs: Number.NaN }, /^requestTimeoutMs /],
  [{ pingIntervalMs: 2 ** 31 }, /^pingIntervalMs /],
])('options that make no sense are refused by their name, and secrets are not shown: %j', async (wrong, message) => {
  const failure = await openNatsBus({ ...good, ...wrong } as NatsBusOptions).catch((error) => error);
  expect(failure).toBeInstanceOf(TypeError);
  expect(failure.message).toMatch(message);
  expect(failure.message).not.toContain('s3cret');
});

test("the seed of an account is refused where a user's is needed", async () => {
  await expect(openNatsBus({ ...good, nkeySeed: accountSeed })).rejects.toThrow(/^nkeySeed /);
});

test('a signal that is aborted already opens nothing', async () => {
  const signal = AbortSignal.abort(new Error('not wanted'));
  await expect(openNatsBus({ ...good, signal })).rejects.toThrow('not wanted');
});
