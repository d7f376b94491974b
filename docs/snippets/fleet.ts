import assert from 'node:assert/strict';
import { createFleet, type Fleet, type FleetSource, forgetNode, isFleetError, planForget } from '@x/mcp-fleet';
import { createMemoryBroker, type MemoryBroker } from '@x/mcp-fleet/memory';
import { createRegistry } from '@x/mcp-registry';
import { textOf } from '@x/test-servers';
import { listenToConsole } from './stage/console.js';

const heard = listenToConsole();
const inputSchema = { type: 'object' };

/** A server that answers each call with who runs it. */
function serverOf(node: string, name: string, tool: string): FleetSource {
  return {
    name,
    listTools: () => [{ name: tool, description: `${tool} of ${name}`, inputSchema }],
    callTool: async (_tool, _args, { caller }) => ({
      content: [{ type: 'text', text: `${node} for ${caller?.role ?? 'nobody in particular'}` }],
    }),
  };
}

/** Waits until it holds; looked at with each event of the fleet that may have changed it. */
function until(fleet: Fleet, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const names = ['joined', 'sources-changed', 'node-state', 'singleton-state', 'bus-state'] as const;
    const subscriptions = names.map((name) => fleet.events.on(name, look));
    look();
    function look(): void {
      if (!holds()) return;
      for (const subscription of subscriptions ?? []) subscription[Symbol.dispose]();
      resolve();
    }
  });
}

await seeAndRestrict(createMemoryBroker());
await place(createMemoryBroker());
await lose(createMemoryBroker());
await forget(createMemoryBroker());

async function seeAndRestrict(broker: MemoryBroker): Promise<void> {
  const [busOfBuilder, busOfLaptop] = [broker.connect(), broker.connect()];
  const files = serverOf('builder', 'files', 'read_text');
  const secrets = serverOf('builder', 'secrets', 'show');

  // #region authorize
  const builder = createFleet({
    bus: busOfBuilder,
    node: 'builder',
    sources: [files, { source: secrets, placement: 'local' }],
    authorize: ({ node, role }, { server, tool }) =>
      node === 'laptop' && role === 'review' && server === 'files' && tool.startsWith('read_'),
  });
  // #endregion authorize

  await builder.whenJoined();

  // #region roles
  const registry = createRegistry({ roles: [{ role: 'review', allowedTools: ['files@builder.read_*'] }] });
  const laptop = createFleet({ bus: busOfLaptop, node: 'laptop' });
  laptop.attachTo(registry); // its own servers and everybody else's, now and as they come and go
  // #endregion roles

  const known = registry.changes();
  await known.next();

  // #region see
  const { tools } = await registry.search({ query: 'read a text', limit: 1 });
  for (const { server, tool } of tools) console.log(server, tool); // files@builder read_text
  // #endregion see

  assert.deepEqual(heard.lines, ['files@builder read_text']);
  assert.equal(tools[0]?.name, 'mcp__files_builder__read_text_7poqcf19e752t', 'as docs/fleet.md shows it');
  assert.deepEqual(
    laptop.sources().map(({ name }) => name),
    ['files@builder'],
    'what is local to the builder is nobody else’s',
  );
  const reviewer = registry.view({ role: 'review' });
  assert.equal(textOf(await reviewer.call(tools[0].name)), 'builder for review');
  const refused = await registry.call(tools[0].name).catch((error: unknown) => error);
  assert.ok(isFleetError(refused) && refused.code === 'refused');

  await laptop.close();
  await builder.close();
  await registry.close();
}

async function place(broker: MemoryBroker): Promise<void> {
  const sourcesOf = (node: string) => {
    const notes = serverOf(node, 'notes', 'append');
    const search = serverOf(node, 'search', 'find');
    const shell = serverOf(node, 'shell', 'run');
    const clipboard = serverOf(node, 'clipboard', 'paste');
    // #region placement
    const sources = [
      { source: clipboard, placement: 'local' }, // nobody else's business
      { source: shell, placement: 'pinned' }, // shell@<node>: on this machine and no other
      { source: notes, placement: 'singleton' }, // notes@fleet: one of the nodes runs it, for all of them
      { source: search, placement: 'replicated' }, // search@fleet: the same on each node, so any of them will do
    ] as const;
    // #endregion placement
    return sources;
  };
  await using a = createFleet({ bus: broker.connect(), node: 'a', sources: sourcesOf('a') });
  await a.whenJoined();
  await using b = createFleet({ bus: broker.connect(), node: 'b', sources: sourcesOf('b') });
  await using c = createFleet({ bus: broker.connect(), node: 'c' });
  await Promise.all([b.whenJoined(), c.whenJoined()]);
  await until(c, () => c.status().singletons[0]?.holder === 'a' && c.sources().length === 4);
  await until(b, () => b.status().singletons[0]?.holder === 'a' && b.sources().length === 5);

  const names = (fleet: Fleet) => fleet.sources().map(({ name }) => name);
  assert.deepEqual(names(c), ['notes@fleet', 'search@fleet', 'shell@a', 'shell@b']);
  assert.deepEqual(names(b), ['clipboard', 'notes', 'search', 'shell', 'shell@a']);
  const call = async (fleet: Fleet, name: string, tool: string) =>
    textOf(await (fleet.sources().find((source) => source.name === name) as FleetSource).callTool(tool, {}, {}));
  assert.equal(await call(b, 'notes', 'append'), 'a for nobody in particular', 'the one that runs it');
  assert.equal(await call(b, 'search', 'find'), 'b for nobody in particular', 'its own first');

  await a.close();
  await until(b, () => b.status().singletons[0]?.holder === 'b');
  assert.equal(await call(b, 'notes', 'append'), 'b for nobody in particular');
}

async function lose(broker: MemoryBroker): Promise<void> {
  const files = serverOf('builder', 'files', 'read_text');

  // #region cut
  const bus = broker.connect(); // createMemoryBroker() of @x/mcp-fleet/memory
  const builder = createFleet({ bus, node: 'builder', sources: [files], heartbeatMs: 100 });
  const laptop = createFleet({ bus: broker.connect(), node: 'laptop', heartbeatMs: 100 });
  // #endregion cut

  await Promise.all([builder.whenJoined(), laptop.whenJoined()]);
  await until(laptop, () => laptop.sources().length === 1);
  const [remote] = laptop.sources() as [FleetSource];

  // #region watch
  laptop.events.on('node-state', ({ node, state }) => console.log(node, state)); // builder unreachable
  laptop.events.on('bus-state', ({ isConnected }) => console.log(isConnected ? 'back on the bus' : 'cut off'));
  laptop.events.on('bus-failed', ({ error }) => console.log(error.code, error.message));
  laptop.events.on('join-failed', ({ error }) => console.log(error.code, error.message));
  laptop.events.on('forbidden', ({ operation, subject }) => console.log('not allowed to', operation, subject));
  laptop.events.on('problem', ({ message }) => console.log(message));
  // #endregion watch

  // #region disconnect
  bus.disconnect(); // what a network does that goes down; bus.reconnect() ends it
  // #endregion disconnect

  const look = () => laptop.status().nodes.find(({ node }) => node === 'builder')?.state;
  const failure = remote.callTool('read_text', {}, { timeoutMs: 5_000 }).then(
    () => assert.fail('nobody runs it'),
    (error: unknown) => error,
  );

  // #region failure
  const error = await failure;
  if (isFleetError(error) && error.retryable) {
    // Nothing was run: later, or elsewhere, it may go well.
  } else if (isFleetError(error) && error.code === 'outcome-unknown') {
    // It may or may not have had its effect: look before it is called again.
  }
  // #endregion failure

  assert.ok(isFleetError(error) && error.code === 'node-unreachable' && error.retryable, String(error));
  await until(laptop, () => look() === 'unreachable');
  assert.deepEqual(await remote.listTools({}), []);
  assert.equal(remote.state, 'unreachable');
  assert.equal(heard.lines.at(-1), 'builder unreachable');
  bus.reconnect();
  await until(laptop, () => look() === 'alive');
  await builder.close();
  await laptop.close();
}

async function forget(broker: MemoryBroker): Promise<void> {
  const busOfLost = broker.connect();
  const files = serverOf('build-9', 'files', 'read_text');
  const lost = createFleet({ bus: busOfLost, node: 'build-9', sources: [files], heartbeatMs: 100 });
  const laptop = createFleet({ bus: broker.connect(), node: 'laptop', heartbeatMs: 100 });
  await Promise.all([lost.whenJoined(), laptop.whenJoined()]);
  await until(laptop, () => laptop.sources().length === 1);
  busOfLost.disconnect();
  const bus = broker.connect();

  // #region forget
  const plan = await planForget({ bus, node: 'build-9' }); // throws if it is there after all
  console.log(plan.servers, new Date(plan.heardAtMs ?? 0)); // what it had, and its last sign of life
  await forgetNode({ bus, plan });
  // #endregion forget

  assert.deepEqual(plan.servers, ['files']);
  await until(laptop, () => laptop.status().nodes.length === 1);
  assert.deepEqual(laptop.sources(), []);
  await laptop.close();
  await lost.close();
}
