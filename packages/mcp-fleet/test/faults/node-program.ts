// Nodes of a fleet in a process of their own. The plan is the first argument; what happens goes to the process that
// started this one, and what to do comes from there.
import { createFleet, type Fleet } from '../../src/fleet.js';
import { type FleetBus, isFleetError } from '../../src/index.js';
import { openNatsBus } from '../../src/nats.js';
import { until } from '../helpers/until.js';
import type { FromNode, NodeCommand, NodePlan, ToNode } from './node-process.js';
import { ScriptedSource } from './scripted-source.js';
import { untilTools } from './until-tools.js';

const EVENTS = [
  'joined',
  'join-failed',
  'left',
  'bus-state',
  'node-state',
  'sources-changed',
  'singleton-state',
  'forbidden',
  'problem',
] as const;

const plan: NodePlan = JSON.parse(process.argv[2] ?? '');
const nodes = new Map(plan.nodes.map((name) => [name, runNode(name)] as const));

// Reports to each command why a node could not be created.
for (const node of nodes.values()) node.catch(() => undefined);

process.on('disconnect', () => process.exit());
process.on('message', ({ id, node, command }: ToNode) => void answer(id, node, command));

function send(message: FromNode): void {
  process.send?.(message);
}

async function answer(id: number, name: string, command: NodeCommand): Promise<void> {
  try {
    const node = await nodes.get(name);
    if (node === undefined) throw new Error(`There is no ${name} here`);
    send({ id, result: (await node.perform(command)) ?? null });
  } catch (error) {
    const { message, ...rest } = error as Error;
    const known = isFleetError(error) ? { code: error.code, retryable: error.retryable } : rest;
    send({ id, failure: { ...known, message } });
  }
}

interface Node {
  perform(command: NodeCommand): Promise<unknown>;
}

async function runNode(name: string): Promise<Node> {
  const { sources, heartbeatMs, maxResultBytes } = plan;
  const bus = await openNatsBus({
    connectTimeoutMs: 1_000,
    mustConnect: false,
    ...plan.bus,
    node: name,
  });
  const beats = countBeats(bus, name);
  const tell = (event: string, detail: object) => {
    const atMs = Number(process.hrtime.bigint()) / 1e6;
    send({ event: { on: name, name: event, atMs, beats: beats.count, detail: { ...detail } } });
  };
  const placed = sources.map(({ name: server, placement = 'pinned', tools = 0 }) => ({
    source: new ScriptedSource({ name: server, place: name, tools, tell }),
    placement,
  }));
  const fleet = createFleet({
    bus,
    node: name,
    heartbeatMs,
    sources: placed,
    ...(maxResultBytes && { maxResultBytes }),
  });
  for (const event of EVENTS) {
    fleet.events.on(event, (detail) => {
      const error = 'error' in detail && isFleetError(detail.error) ? { code: detail.error.code } : {};
      tell(event, { ...detail, ...error });
    });
  }
  return { perform: (command) => perform({ fleet, bus, beats }, command) };
}

interface Parts {
  readonly fleet: Fleet;
  readonly bus: FleetBus;
  readonly beats: Beats;
}

async function perform({ fleet, bus, beats }: Parts, command: NodeCommand): Promise<unknown> {
  switch (command.do) {
    case 'call': {
      const source = fleet.sources().find((one) => one.name === command.source);
      if (source === undefined) throw new Error(`${fleet.node} has no source ${command.source}`);
      const { caller, args = {} } = command;
      const result = await source.callTool(command.tool, { ...args }, caller === undefined ? {} : { caller });
      return result.content[0]?.text;
    }
    case 'sources': {
      const listed = fleet.sources().map(async (source) => {
        return [source.name, { state: source.state ?? 'running', tools: (await source.listTools({})).length }] as const;
      });
      return Object.fromEntries(await Promise.all(listed));
    }
    case 'status':
      return fleet.status();
    case 'beats':
      return beats.count;
    case 'leave':
      await fleet.close();
      return bus.close();
    case 'until-beats':
      return beats.until(command.count);
    case 'until-tools':
      return untilTools(fleet, command.source, command.count);
    case 'until-nodes':
      return until(fleet, () => fleet.status().nodes.filter(({ state }) => state === 'alive').length === command.count);
    case 'block':
      for (const end = performance.now() + command.forMs; performance.now() < end; );
      return undefined;
    case 'set-clock':
      return (globalThis as unknown as { setClockOffset(ms: number): void }).setClockOffset(command.offsetMs);
    case 'write':
      return bus.bucket.put(command.key, new TextEncoder().encode(command.text));
    case 'publish':
      return bus.publish(command.subject, new TextEncoder().encode(command.text));
  }
}

interface Beats {
  readonly count: number;
  until(count: number): Promise<void>;
}

/** Beats that the node has tried to send from here on. */
function countBeats({ bucket }: FleetBus, node: string): Beats {
  let count = 0;
  const waiting = new Set<() => void>();
  const put = bucket.put.bind(bucket);
  Object.assign(bucket, {
    put: ((key, value, options) => {
      if (key === `lease.${node}`) {
        count += 1;
        for (const wake of waiting) wake();
      }
      return put(key, value, options);
    }) satisfies typeof put,
  });
  return {
    get count() {
      return count;
    },
    until: (wanted) =>
      new Promise((resolve) => {
        const check = () => {
          if (count < wanted) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
