import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { startNatsServer } from '@x/test-servers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { FleetBus } from '../../src/bus.js';
import { type NatsBusOptions, natsAccountsConfig, openNatsBus } from '../../src/nats.js';
import { bytes, eventOf } from '../bus/bus-observers.js';
import { certificates } from './fixtures/certificates.js';
import { userCredentials } from './user-credentials.js';

let folder: string;
const opened: FleetBus[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-fleet-logins-'));
  await Promise.all(Object.entries(certificates).map(([name, pem]) => writeFile(join(folder, name), pem)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(async () => {
  await Promise.all(opened.splice(0).map((bus) => bus.close()));
});

async function connect(options: Partial<NatsBusOptions> & { readonly servers: string }): Promise<FleetBus> {
  const bus = await openNatsBus({ node: 'A', ...options });
  opened.push(bus);
  return bus;
}

describe('a user and password', () => {
  test('admit a node, and wrong ones fail at once without secrets in the error', async () => {
    await using server = await startNatsServer({ config: 'authorization { user: "fleet", password: "right secret" }' });
    const bus = await connect({ servers: server.url, user: 'fleet', password: 'right secret' });
    await bus.bucket.put('k', bytes('1'));

    for (const wrong of [{ user: 'fleet', password: 'wrong secret' }, { token: 'wrong secret' }, {}]) {
      const failure = await connect({ servers: server.url, ...wrong }).catch((error) => error);
      expect(failure).toMatchObject({ code: 'forbidden', retryable: false });
      expect(failure.message).toMatch(/does not let this node in.*Check the credentials/);
      expect(JSON.stringify([failure.message, failure.stack, String(failure.cause)])).not.toContain('secret');
    }
  });

  test('that are rejected after a reconnect are retried until they are valid again', async () => {
    const allow = (password: string) => `authorization { user: "fleet", password: "${password}" }`;
    await using server = await startNatsServer({ config: allow('right') });
    const bus = await connect({ servers: server.url, user: 'fleet', password: 'right' });
    const down = eventOf(bus, 'disconnected');
    await server.restart({ config: allow('changed') });
    await down;
    let failure: Error | undefined;
    while (!failure?.message.includes('Check the credentials')) {
      failure = await bus.bucket.get('k').then(
        () => undefined,
        (error) => error,
      );
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(failure).toMatchObject({ code: 'bus-down' });
    const up = eventOf(bus, 'connected');
    await server.restart({ config: allow('right') });
    await up;
  });
});

test('a token lets a node in', async () => {
  await using server = await startNatsServer({ config: 'authorization { token: "right" }' });
  await (await connect({ servers: server.url, token: 'right' })).flush();
});

test('an NKey lets a node in, with the permissions of its name', async () => {
  const key = nkeys.createUser();
  const seed = new TextDecoder().decode(key.getSeed());
  const config = natsAccountsConfig({ fleet: 'keys', nodes: [{ node: 'A', nkey: key.getPublicKey() }] });
  await using server = await startNatsServer({ config });
  const bus = await connect({ servers: server.url, fleet: 'keys', nkeySeed: seed });
  await bus.bucket.put('lease.A', bytes('1'));
  await expect(bus.bucket.put('lease.B', bytes('1'))).rejects.toMatchObject({ code: 'forbidden' });

  const other = new TextDecoder().decode(nkeys.createUser().getSeed());
  await expect(connect({ servers: server.url, fleet: 'keys', nkeySeed: other })).rejects.toMatchObject({
    code: 'forbidden',
  });
});

test('a credentials file lets a node in, and is read anew for the next connection', async () => {
  const { config, credentials } = userCredentials();
  const credentialsFile = join(folder, 'user.creds');
  await writeFile(credentialsFile, credentials);
  await using server = await startNatsServer({ config });
  const bus = await connect({ servers: server.url, credentialsFile });
  await bus.bucket.put('k', bytes('1'));

  const replaced = userCredentials();
  await writeFile(credentialsFile, replaced.credentials);
  const up = eventOf(bus, 'connected');
  await server.restart({ config: replaced.config, stored: 'lost' });
  await up;
  await bus.bucket.put('k', bytes('2'));
});

test('the error for a missing or malformed credentials file has its path and nothing of its contents', async () => {
  const options = { servers: 'nats://127.0.0.1:1' };
  const absent = await connect({ ...options, credentialsFile: join(folder, 'absent.creds') }).catch((error) => error);
  expect(absent).toMatchObject({ code: 'forbidden', message: expect.stringContaining('absent.creds') });
  await writeFile(join(folder, 'wrong.creds'), 'a secret by mistake');
  const wrong = await connect({ ...options, credentialsFile: join(folder, 'wrong.creds') }).catch((error) => error);
  expect(wrong).toMatchObject({ code: 'forbidden', message: expect.stringContaining('wrong.creds') });
  expect(wrong.message).not.toContain('secret');
});

describe('a connection over TLS', () => {
  const at = (name: keyof typeof certificates) => join(folder, name);
  const tlsConfig = (more = '') =>
    `tls { cert_file: "${at('serverCert')}", key_file: "${at('serverKey')}", ca_file: "${at('ca')}" ${more} }`;

  test('trusts the configured authority, and no other', async () => {
    await using server = await startNatsServer({ config: tlsConfig() });
    const servers = server.url.replace('nats:', 'tls:');
    const bus = await connect({ servers, tls: { caFile: at('ca') } });
    await bus.bucket.put('k', bytes('1'));
    const failure = await connect({ servers }).catch((error) => error);
    expect(failure).toMatchObject({ code: 'bus-down' });
    expect(failure.message).toMatch(/certificate|self-signed/i);
  });

  test('presents its own certificate to a server that requests one', async () => {
    await using server = await startNatsServer({ config: tlsConfig(', verify: true') });
    const tls = { caFile: at('ca'), certFile: at('clientCert'), keyFile: at('clientKey') };
    const bus = await connect({ servers: server.url, tls });
    await bus.bucket.put('k', bytes('1'));
    await expect(connect({ servers: server.url, tls: { caFile: at('ca') } })).rejects.toMatchObject({
      code: 'bus-down',
    });
  });

  test('is never replaced by an unencrypted one', async () => {
    await using server = await startNatsServer();
    const failure = await connect({ servers: server.url.replace('nats:', 'tls:') }).catch((error) => error);
    expect(failure).toMatchObject({ code: 'bus-down', message: expect.stringContaining('tls') });
  });

  test('that begins with the handshake times out with a silent server', async () => {
    await using server = await startNatsServer();
    await server.pause();
    const tls = { caFile: at('ca'), first: true };
    await expect(connect({ servers: server.url, tls, connectTimeoutMs: 100 })).rejects.toMatchObject({
      code: 'bus-down',
    });
  });

  test('names a missing file in its error', async () => {
    await using server = await startNatsServer({ config: tlsConfig() });
    const failure = await connect({ servers: server.url, tls: { caFile: at('ca').concat('-absent') } }).catch((e) => e);
    expect(failure).toMatchObject({ code: 'bus-down', message: expect.stringContaining('ca-absent') });
  });
});
