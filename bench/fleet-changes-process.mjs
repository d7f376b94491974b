// One of two nodes: the one whose server's tools change, or the one that sees it. Each has a store of its own beside the
// fleet, for the peer.
import { answerParent } from './answer-parent.mjs';
import { loadNats } from './fleet-nats.mjs';
import { definitions } from './fleet-tools.mjs';
import { packageEntry } from './own-packages.mjs';

const { createFleet } = await import(packageEntry('mcp-fleet'));
const { openNatsBus } = await import(packageEntry('mcp-fleet', 'nats'));
const { connect } = await loadNats('transport-node');
const { Kvm } = await loadNats('kv');

const [node] = process.argv.slice(2);
const SERVER = 'catalog';
const KEY = 'entry';
/** Comparable between processes: the system's own monotonic clock. */
const now = () => process.hrtime.bigint().toString();
const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
const listeners = new Set();
let open;
let tools;
let entryBytes;
let texts = '';
let expected;
let version = 0;

answerParent({
  /** The source's side. */
  offer: async ({ url, tools: count }) => {
    tools = definitions(count);
    const source = {
      name: SERVER,
      listTools: () => tools,
      callTool: async () => ({ content: [] }),
      onToolsChanged: (listener) => {
        listeners.add(listener);
        return { [Symbol.dispose]: () => void listeners.delete(listener) };
      },
    };
    await join(url, [source]);
    await open.kv.put(KEY, '0');
    open.nats.subscribe('bare.definitions', { callback: (_error, message) => message.respond(encoder.encode(texts)) });
    await open.nats.flush();
  },

  prepare: ({ entryBytes: bytes }) => {
    entryBytes = bytes;
  },

  /** The peer: an entry as long as the fleet's, and the new definitions for who asks for them. Gives when it began. */
  put: async ({ version, changed }) => {
    texts = textsOf(changed);
    const entry = entryOf(version);
    const from = now();
    await open.kv.put(KEY, entry);
    return from;
  },

  /** The peer, if its entry brings the new definitions along: the least that it takes to have them on the other side. */
  putWhole: async ({ version, changed }) => {
    const from = now();
    await open.kv.put(KEY, `${entryOf(version)}\n${textsOf(changed)}`);
    return from;
  },

  /** The source has other tools. Gives when it said so. */
  change: ({ version, changed }) => {
    tools = tools.map((tool, at) => (at < changed ? { ...tool, title: `Version ${version}` } : tool));
    const from = now();
    for (const listener of listeners) listener();
    return from;
  },

  /** The watcher's side. Gives how long the fleet's own entry is. */
  watch: async ({ url }) => {
    await join(url, []);
    const { fleet, kv, kvm } = open;
    const source = fleet.sources().find(({ name }) => name === `${SERVER}@source`);
    await source.listTools({});
    source.onToolsChanged(() => void lookAtTools(source, now()));
    void follow(await kv.watch({ key: KEY }));
    const own = await kvm.open('mcp-fleet_default');
    const entry = await own.get(`server.source.${SERVER}`);
    return { entryBytes: entry.value.length };
  },

  expect: ({ what, changed }) => {
    version += 1;
    const waiting = { what, changed, version };
    waiting.seen = new Promise((resolve) => {
      waiting.resolve = resolve;
    });
    expected = waiting;
    return { version };
  },

  seen: () => expected.seen,

  close: async () => {
    await open.fleet.close();
    await open.bus.close();
    await open.nats.close();
  },
});

async function join(url, sources) {
  const bus = await openNatsBus({ servers: url, node });
  const fleet = createFleet({ bus, node, sources });
  const nats = await connect({ servers: url });
  const kvm = new Kvm(nats);
  const kv = await kvm.create('bare');
  open = { bus, fleet, nats, kvm, kv };
  await fleet.whenJoined();
}

async function lookAtTools(source, announced) {
  const listed = await source.listTools({});
  const { what, changed, version, resolve } = expected ?? {};
  if (what === 'change' && listed[changed - 1].title === `Version ${version}`) resolve({ announced, complete: now() });
}

async function follow(entries) {
  for await (const { value } of entries) {
    const announced = now();
    const { what, changed, version, resolve } = expected ?? {};
    if (!what?.startsWith('put') || Number.parseInt(decoder.decode(value.subarray(0, 20)), 10) !== version) continue;
    const lines = what === 'putWhole' ? decoder.decode(value).split('\n').slice(1) : await askForTexts();
    const got = lines.map((text) => JSON.parse(text));
    if (got.length !== changed) throw new Error(`${got.length} of ${changed} definitions have come`);
    resolve({ announced, complete: now() });
  }
}

async function askForTexts() {
  const answer = await open.nats.request('bare.definitions', 'new');
  return decoder.decode(answer.data).split('\n');
}

function entryOf(version) {
  return `${version} `.padEnd(entryBytes, '-');
}

function textsOf(changed) {
  return tools
    .slice(0, changed)
    .map((tool) => JSON.stringify(tool))
    .join('\n');
}
