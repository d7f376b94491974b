// Some nodes of a fleet, or the one that joins it last.
import { answerParent } from './answer-parent.mjs';
import { definitions, queries, quietSource } from './fleet-tools.mjs';
import { medianOf } from './measurement.mjs';
import { packageEntry } from './own-packages.mjs';

const { createFleet } = await import(packageEntry('mcp-fleet'));
const { openNatsBus } = await import(packageEntry('mcp-fleet', 'nats'));
const { createRegistry } = await import(packageEntry('mcp-registry'));

const open = [];

answerParent({
  /** So many nodes from that number on. */
  open: async ({ url, from, count, servers, tools, areSame }) => {
    const aNode = servers * tools;
    const all = definitions(areSame ? aNode : (from + count) * aNode);
    for (let number = from; number < from + count; number++) {
      const own = areSame ? all : all.slice(number * aNode, (number + 1) * aNode);
      const sources = Array.from({ length: servers }, (_, server) =>
        quietSource(`server-${server}`, own.slice(server * tools, (server + 1) * tools)),
      );
      open.push(await node(url, `node-${number}`, sources));
    }
  },

  /** Settles when each of these nodes knows all others. */
  all: async ({ nodes, servers }) => {
    for (const { fleet } of open) await knows(fleet, nodes * servers);
  },

  /** A node without servers: from its beginning until it has listed all tools, and then searches them. */
  join: async ({ url, nodes, servers, tools, searches }) => {
    const before = used();
    const start = performance.now();
    const joined = await node(url, 'newcomer', []);
    const { fleet } = joined;
    await knows(fleet, nodes * servers);
    const joinedMs = performance.now() - start;
    const lists = await Promise.all(fleet.sources().map((source) => source.listTools({})));
    const listedMs = performance.now() - start;
    const count = lists.reduce((sum, { length }) => sum + length, 0);
    if (count !== nodes * servers * tools)
      throw new Error(`${count} tools were listed, and there are ${nodes * servers * tools}`);
    lists.length = 0;
    const listed = used();

    const registry = createRegistry();
    const own = registry.list().length; // it has a tool itself, to search with
    fleet.attachTo(registry);
    await until(
      (look) => registry.events.on('tools-changed', look),
      () => registry.list().length === own + count,
    );
    const attachedMs = performance.now() - start;
    const attached = used();
    const times = [];
    for (let search = 0; search < searches; search++) {
      const query = queries[(search * 5) % queries.length];
      const from = performance.now();
      const { tools: found } = await registry.search({ query, limit: 10 });
      times.push(performance.now() - from);
      if (!Array.isArray(found)) throw new Error('A search found no list');
    }
    open.push(joined);
    return {
      tools: count,
      joinedMs,
      listedMs,
      attachedMs,
      heap: listed.heap - before.heap,
      resident: listed.resident - before.resident,
      heapWithRegistry: attached.heap - before.heap,
      searchMs: medianOf(times),
    };
  },

  close: async () => {
    for (const { fleet, bus } of open) {
      await fleet.close();
      await bus.close();
    }
  },
});

async function node(url, name, sources) {
  const bus = await openNatsBus({ servers: url, node: name });
  const fleet = createFleet({ bus, node: name, sources });
  await fleet.whenJoined();
  return { fleet, bus };
}

/** Settles when the fleet has so many sources. */
function knows(fleet, count) {
  return until(
    (look) => fleet.events.on('sources-changed', look),
    () => fleet.sources().length === count,
  );
}

function until(listen, holds) {
  return new Promise((resolve) => {
    const look = () => {
      if (!holds()) return;
      subscription[Symbol.dispose]();
      resolve();
    };
    const subscription = listen(look);
    look();
  });
}

function used() {
  for (let turn = 0; turn < 3; turn++) globalThis.gc();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, resident: rss };
}
