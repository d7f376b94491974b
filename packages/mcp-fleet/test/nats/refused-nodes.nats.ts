import { startNatsServer } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import type { FleetBus } from '../../src/bus.js';
import type { FleetEvents } from '../../src/events.js';
import { createFleet, type Fleet } from '../../src/fleet.js';
import { natsAccountsConfig, natsPermissions, openNatsBus } from '../../src/nats.js';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

/** A node that goes on without the bus, as one does that is started before its login is right. */
async function node(servers: string, password = 'right'): Promise<{ readonly fleet: Fleet; readonly bus: FleetBus }> {
  const bus = await openNatsBus({ servers, node: 'A', user: 'A', password, mustConnect: false });
  opened.push(bus);
  const fleet = createFleet({ bus, node: 'A', heartbeatMs: 500 });
  opened.push(fleet);
  return { fleet, bus };
}

function next<Name extends keyof FleetEvents>(
  fleet: Fleet,
  name: Name,
  isMeant: (event: FleetEvents[Name]) => boolean = () => true,
): Promise<FleetEvents[Name]> {
  return new Promise((resolve) => {
    const subscription = fleet.events.on(name, (event) => {
      if (!isMeant(event)) return;
      subscription[Symbol.dispose]();
      resolve(event);
    });
  });
}

const config = (password: string) => natsAccountsConfig({ nodes: [{ node: 'A', user: 'A', password }] });

/** What a node is allowed, but for subjects that begin so. */
function without(...beginnings: readonly string[]): string {
  const { publish, subscribe } = natsPermissions({ node: 'A' });
  const allow = (subjects: readonly string[]) =>
    JSON.stringify(subjects.filter((subject) => !beginnings.some((beginning) => subject.startsWith(beginning))));
  const permissions = `{ publish: { allow: ${allow(publish.allow)} }, subscribe: { allow: ${allow(subscribe.allow)} } }`;
  return `accounts { F { jetstream: enabled, users: [{ user: "A", password: "right", permissions: ${permissions} }] } }`;
}

describe('a node that is not let in', () => {
  test('reports that while it retries, and joins when its login is valid', async () => {
    await using server = await startNatsServer({ config: config('other') });
    const { fleet, bus } = await node(server.url);
    const told = await next(fleet, 'bus-failed');
    expect(told.error).toMatchObject({ code: 'forbidden', retryable: false });
    expect(told.error.message).toMatch(/does not let this node in.*Check the credentials/);
    expect(told.error.message).not.toContain('right');
    expect(bus.failure).toMatchObject({ code: 'forbidden' });
    expect(fleet.status()).toMatchObject({ phase: 'joining', isBusConnected: false, error: { code: 'forbidden' } });

    await server.restart({ config: config('right') });
    await fleet.whenJoined();
    expect(fleet.status()).not.toHaveProperty('error');
    expect(bus.failure).toBeUndefined();

    const again = next(fleet, 'bus-failed', ({ error }) => error.code === 'forbidden');
    await server.restart({ config: config('other') });
    await again;
    expect(fleet.status()).toMatchObject({ isBusConnected: false, error: { code: 'forbidden' } });
  });

  test('reports each reason once, over many attempts', async () => {
    await using server = await startNatsServer({ config: config('other') });
    const { fleet, bus } = await node(server.url);
    const told: string[] = [];
    fleet.events.on('bus-failed', ({ error }) => told.push(error.message));
    let attempts = 0;
    await new Promise<void>((resolve) => {
      bus.onEvent(({ type }) => {
        if (type === 'failed') attempts += 1;
        if (attempts === 3) resolve();
      });
    });
    expect(told).toHaveLength(1);
  });
});

describe('a node whose login lacks a permission of the bus itself', () => {
  test.each([
    ['JetStream', '$JS.API.', 'publish', /^\$JS\.API\.STREAM\.INFO\.KV_mcp-fleet_default$/],
    ['its inbox', '_INBOX_', 'subscribe', /^_INBOX_A\./],
  ])('gets an error that names what is forbidden: %s', async (_what, beginning, operation, subject) => {
    await using server = await startNatsServer({ config: without(beginning) });
    const { fleet } = await node(server.url);
    const [{ error }, forbidden] = await Promise.all([next(fleet, 'bus-failed'), next(fleet, 'forbidden')]);
    expect(error).toMatchObject({ code: 'forbidden' });
    expect(error.message).toContain(beginning);
    expect(forbidden).toEqual({ operation, subject: expect.stringMatching(subject) });
    expect(fleet.status()).toMatchObject({ phase: 'joining', error: { code: 'forbidden', message: error.message } });
  });

  test('gets an error when it cannot watch the keys', async () => {
    await using server = await startNatsServer({ config: without('$JS.API.CONSUMER.CREATE') });
    const { fleet } = await node(server.url);
    await expect(fleet.whenJoined()).rejects.toMatchObject({ code: 'forbidden' });
    expect(fleet.status()).toMatchObject({ phase: 'failed', error: { code: 'forbidden' } });
  });
});

test('a server without JetStream is reported, too', async () => {
  await using server = await startNatsServer({ jetstream: false });
  const { fleet } = await node(server.url);
  expect((await next(fleet, 'bus-failed')).error).toMatchObject({ code: 'unsuitable-bus' });
  expect(fleet.status()).toMatchObject({ phase: 'joining', error: { code: 'unsuitable-bus' } });
});
