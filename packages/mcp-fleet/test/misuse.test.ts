// biome-ignore-all lint/suspicious/noExplicitAny: programs without types make these mistakes.
import { createListSource, documentedMistakes, type Mistake, outcomeOf, tool } from '@x/test-servers';
import { expect, test } from 'vitest';
import { createFleet, type Fleet, forgetNode, planForget } from '../src/index.js';
import { createMemoryBroker } from '../src/memory.js';
import { openNatsBus } from '../src/nats.js';

const anything = (value: unknown): any => value;
const files = createListSource('files', [tool('read')]);
const fleet = (options: unknown) => ({ returned: createFleet(anything(options)) });
const nats = async (options: object) => ({
  returned: await openNatsBus(anything({ servers: 'nats://127.0.0.1:1', node: 'builder', ...options })),
});

async function withFleet(run: (fleet: Fleet) => unknown): Promise<any> {
  await using one = createFleet({ node: 'builder', bus: createMemoryBroker().connect(), sources: [files] });
  return { returned: await run(one) };
}

const mistakes: Readonly<Record<string, Mistake>> = {
  'createFleet("builder")': () => fleet('builder'),
  'createFleet({ name: "builder" })': () => fleet({ name: 'builder' }),
  'createFleet({ node: "builder.local" })': () => fleet({ node: 'builder.local' }),
  'createFleet({ node, bus: openNatsBus(…) }) without await': () =>
    fleet({ node: 'builder', bus: Promise.resolve(createMemoryBroker().connect()) }),
  'createFleet({ node, bus: createMemoryBroker() }) without connect()': () =>
    fleet({ node: 'builder', bus: createMemoryBroker() }),
  'createFleet({ node, bus: "nats://host:4222" })': () => fleet({ node: 'builder', bus: 'nats://host:4222' }),
  'createFleet({ node, sources: manager })': () => fleet({ node: 'builder', sources: { servers: () => [files] } }),
  'createFleet({ node, sources: [connect()] }) of an async function': () =>
    fleet({ node: 'builder', sources: [Promise.resolve(files)] }),
  'createFleet({ node, sources: [spec] })': () =>
    fleet({ node: 'builder', sources: [{ name: 'files', command: 'npx' }] }),
  'createFleet({ node, sources: [files, files] })': () => fleet({ node: 'builder', sources: [files, files] }),
  'createFleet({ node, sources: [{ source, placement: "single" }] })': () =>
    fleet({ node: 'builder', sources: [{ source: files, placement: 'single' }] }),
  'createFleet({ node, sources: [{ source, placment: "singleton" }] })': () =>
    fleet({ node: 'builder', sources: [{ source: files, placment: 'singleton' }] }),
  'createFleet({ node, heartbeatMs: 5 }), seconds for milliseconds': () => fleet({ node: 'builder', heartbeatMs: 5 }),
  'createFleet({ node, heartbeat: 5_000 })': () => fleet({ node: 'builder', heartbeat: 5_000 }),
  'createFleet({ node, authorize: true })': () => fleet({ node: 'builder', authorize: true }),
  'createFleet(readOptions()) of an async function': () => fleet(Promise.resolve({ node: 'builder' })),
  'fleet.sources("builder")': () => withFleet((one) => one.sources(anything('builder'))),
  'fleet.sources({ own: "no" })': () => withFleet((one) => one.sources(anything({ own: 'no' }))),
  'fleet.sources({ ours: false })': () => withFleet((one) => one.sources(anything({ ours: false }))),
  'fleet.attachTo(manager)': () => withFleet((one) => one.attachTo(anything({ servers: () => [] }))),
  'fleet.attachTo(openRegistry()) of an async function': () =>
    withFleet((one) => one.attachTo(anything(Promise.resolve({ attach: () => undefined })))),
  'fleet.add(files) twice': () => withFleet((one) => one.add(files)),
  'fleet.add("files")': () => withFleet((one) => one.add(anything('files'))),
  'fleet.add() after close()': () =>
    withFleet(async (one) => {
      await one.close();
      one.add(createListSource('git'));
    }),
  'fleet.whenJoined() after close()': () =>
    withFleet(async (one) => {
      await one.close();
      await one.whenJoined();
    }),
  'fleet.whenJoined(controller.signal)': () =>
    withFleet((one) => one.whenJoined(anything(new AbortController().signal))),
  'fleet.whenJoined({ timeoutMs: 5_000 })': () => withFleet((one) => one.whenJoined(anything({ timeoutMs: 5_000 }))),
  'fleet.events.on("join", listener)': () => withFleet((one) => one.events.on(anything('join'), () => undefined)),
  'fleet.events.on("joined"), without a listener': () =>
    withFleet((one) => one.events.on('joined', anything(undefined))),
  'openNatsBus("nats://host:4222")': async () => ({ returned: await openNatsBus(anything('nats://host:4222')) }),
  'openNatsBus({ servers: "http://host:4222", node })': () => nats({ servers: 'http://host:4222' }),
  'openNatsBus({ servers: "nats://user:password@host", node })': () => nats({ servers: 'nats://user:password@host' }),
  'openNatsBus({ servers, node, password }) without user': () => nats({ password: 'x' }),
  'openNatsBus({ servers, node, token, user })': () => nats({ token: 'x', user: 'y' }),
  'openNatsBus({ servers, node, nkeySeed: "UABC…" }), the public key': () => nats({ nkeySeed: 'UABC' }),
  'openNatsBus({ servers, node, tls: { ca: "ca.pem" } })': () => nats({ tls: { ca: 'ca.pem' } }),
  'openNatsBus({ servers, node, tls: { certFile } }) without keyFile': () => nats({ tls: { certFile: 'a.pem' } }),
  'openNatsBus({ servers, node, requestTimeout: 5_000 })': () => nats({ requestTimeout: 5_000 }),
  'planForget({ node: "laptop" }) without a bus': async () => ({
    returned: await planForget(anything({ node: 'laptop' })),
  }),
  'forgetNode({ bus, node: "laptop" }) without a plan': async () => ({
    returned: await forgetNode(anything({ bus: createMemoryBroker().connect(), node: 'laptop' })),
  }),
  'forgetNode({ bus, plan: planForget(…) }) without await': async () => ({
    returned: await forgetNode({ bus: createMemoryBroker().connect(), plan: anything(Promise.resolve({ keys: [] })) }),
  }),
  'createMemoryBroker({ maxPayload: 1_024 })': () => ({
    returned: createMemoryBroker(anything({ maxPayload: 1_024 })),
  }),
};

const page = documentedMistakes(new URL('../../../docs/decisions/misuse.md', import.meta.url), 'Fleet');

test('the page has a row for each mistake', () => {
  expect(Object.keys(mistakes)).toEqual(Array.from(page.keys()));
});

for (const [written, mistake] of Object.entries(mistakes)) {
  test(written, async () => expect(await outcomeOf(mistake)).toBe(page.get(written)));
}
