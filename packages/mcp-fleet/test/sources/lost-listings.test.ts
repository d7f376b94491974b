import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createFleet } from '../../src/fleet.js';
import { createMemoryBroker } from '../../src/memory/broker.js';
import { ChangingSource, tool } from '../helpers/offered.js';
import { sourceOf } from '../helpers/until.js';

const HEARTBEAT_MS = 10_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A node that has the tools of another one still to fetch, and its bus. */
async function setUp() {
  const broker = createMemoryBroker();
  const sources = [new ChangingSource('files', [tool('read')])];
  const owner = createFleet({ bus: broker.connect(), node: 'owner', heartbeatMs: HEARTBEAT_MS, sources });
  const bus = broker.connect();
  const edge = createFleet({ bus, node: 'edge', heartbeatMs: HEARTBEAT_MS });
  onTestFinished(async () => {
    await Promise.all([owner.close(), edge.close()]);
  });
  return { broker, bus, files: await sourceOf(edge, 'files@owner') };
}

test('the tools of another node are listed although the bus loses the first reply', async () => {
  const { broker, bus, files } = await setUp();
  const asked = broker.connect().subscribe('define.owner.edge', () => bus.disconnect());
  const listing = Promise.resolve(files.listTools({}));
  await pass(1_000);
  expect(bus.isConnected).toBe(false);
  asked[Symbol.dispose]();
  bus.reconnect();
  await Promise.all([listing, pass(15_000)]);
  expect(await listing).toMatchObject([{ name: 'read' }]);
});

test('a listing that failed during an outage is announced again when the bus is back', async () => {
  const { bus, files } = await setUp();
  let announcements = 0;
  using _announced = files.onToolsChanged?.(() => (announcements += 1)) ?? null;
  bus.disconnect();
  const failing = expect(files.listTools({})).rejects.toMatchObject({ code: 'bus-down' });
  await pass(5_000);
  await failing;
  expect([files.state, announcements]).toEqual(['running', 0]);
  bus.reconnect();
  await pass(HEARTBEAT_MS);
  expect(announcements).toBe(1);
  expect(await files.listTools({})).toMatchObject([{ name: 'read' }]);
  await pass(5 * HEARTBEAT_MS);
  expect(announcements).toBe(1);
});
