// One of two nodes, with its part of the fleet and a connection of its own to the NATS server.
import { answerParent } from './answer-parent.mjs';
import { loadNats } from './fleet-nats.mjs';
import { packageEntry } from './own-packages.mjs';

const { createFleet } = await import(packageEntry('mcp-fleet'));
const { openNatsBus } = await import(packageEntry('mcp-fleet', 'nats'));
const { connect } = await loadNats('transport-node');

const [node] = process.argv.slice(2);
const TOOL = 'read_log';
const PART_BYTES = 512 * 1024;
const caller = { role: 'developer', principal: 'somebody@example.com' };
/** The same log, as one text and as many small ones. */
const [TEXT, ROWS] = ['logs/today.log', 'logs/today.json'];
const row = () => ({ time: '12:00:07', call: 'GET /o/17', status: 200, ms: 31 });
const ROW_BYTES = JSON.stringify(row()).length + 1;
const texts = new Map();
let rows;
const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
let open;

answerParent({
  /** The owner's side: a server in the fleet, and the same answers on subjects of its own. */
  offer: async ({ url }) => {
    const source = {
      name: 'logs',
      listTools: () => [{ name: TOOL, description: 'Reads a log', inputSchema: { type: 'object' } }],
      callTool: async (_tool, args) => resultOf(args),
    };
    await join(url, [source]);
    const { nats } = open;
    nats.subscribe('bare.*', {
      callback: (_error, message) => message.respond(messageOf(Number(message.subject.slice('bare.'.length)))),
    });
    nats.subscribe('json', {
      callback: (_error, message) => {
        const { args } = JSON.parse(decoder.decode(message.data));
        message.respond(encoder.encode(JSON.stringify(resultOf(args))));
      },
    });
    await nats.flush();
  },

  /** The edge's side: waits until the fleet has the owner's server. */
  find: async ({ url }) => {
    await join(url, []);
    const { fleet } = open;
    open.source = fleet.sources().find(({ name }) => name === 'logs@owner');
    if (open.source === undefined) throw new Error('The owner is not there');
  },

  /** The ways in turns, one call each: p50 and p99 of each in µs. */
  measure: async ({ bytes, calls, inRows = false }) => {
    const ways = Object.entries(waysOf({ path: inRows ? ROWS : TEXT, bytes }));
    const times = new Map(ways.map(([way]) => [way, []]));
    for (let call = 0; call < calls; call++) {
      for (let turn = 0; turn < ways.length; turn++) {
        const [way, run] = ways[(call + turn) % ways.length];
        const from = performance.now();
        const got = await run();
        times.get(way).push((performance.now() - from) * 1_000);
        if (got !== bytes) throw new Error(`${way}: ${got} of ${bytes} bytes were answered`);
      }
    }
    return Object.fromEntries(
      Array.from(times, ([way, each]) => [way, { p50: partOf(each, 0.5), p99: partOf(each, 0.99) }]),
    );
  },

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
  open = { bus, fleet, nats };
  await fleet.whenJoined();
}

/** Each gives how many bytes the tool has answered. The first is the peer. */
function waysOf(args) {
  const { nats, source } = open;
  const { bytes } = args;
  const fleet = async () => bytesOf(await source.callTool(TOOL, { ...args }, { caller }));
  if (bytes > nats.info.max_payload) {
    const parts = Array.from({ length: Math.ceil(bytes / PART_BYTES) }, (_, part) =>
      Math.min(PART_BYTES, bytes - part * PART_BYTES),
    );
    return {
      [`${parts.length} bare NATS requests of 512 KiB, one after the other`]: () => requestAll(args, parts),
      '@x/mcp-fleet': fleet,
    };
  }
  return {
    'bare NATS request': () => request(args),
    'bare NATS request, JSON on both sides': async () => {
      const answer = await nats.request('json', encoder.encode(JSON.stringify({ tool: TOOL, args })));
      return bytesOf(JSON.parse(decoder.decode(answer.data)));
    },
    '@x/mcp-fleet': fleet,
  };
}

async function request(args) {
  const answer = await open.nats.request(`bare.${args.bytes}`, encoder.encode(JSON.stringify({ tool: TOOL, args })));
  return answer.data.length;
}

async function requestAll(args, parts) {
  let sum = 0;
  for (const bytes of parts) sum += await request({ ...args, bytes });
  return sum;
}

function resultOf({ path, bytes }) {
  if (path === TEXT) return { content: [{ type: 'text', text: madeOnce(bytes).text }] };
  rows ??= Array.from({ length: bytes / ROW_BYTES }, row);
  return { content: [], structuredContent: { rows } };
}

function messageOf(bytes) {
  return madeOnce(bytes).message;
}

function madeOnce(bytes) {
  const known = texts.get(bytes);
  if (known !== undefined) return known;
  const message = encoder.encode(
    '12:00:07 GET /orders/17 200 in 31 ms\n'.repeat(Math.ceil(bytes / 37)).slice(0, bytes),
  );
  const made = { message, text: decoder.decode(message) };
  texts.set(bytes, made);
  return made;
}

function bytesOf({ content, structuredContent }) {
  return structuredContent === undefined ? content[0].text.length : structuredContent.rows.length * ROW_BYTES;
}

function partOf(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * part)];
}
