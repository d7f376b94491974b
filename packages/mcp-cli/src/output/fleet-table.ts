import type { OutputStream } from '../command.js';
import type { FleetNode, FleetReport, FleetServer } from '../fleet/fleet-report.js';
import { printableLine, type Styles } from './print.js';
import { table } from './table.js';

type Width = Pick<OutputStream, 'isTTY' | 'columns'>;

export const noFleet = 'The daemon of this config belongs to no fleet. "mcpx fleet join" joins one.\n';
const maxNameLength = 130;
const maxErrorLength = 500;
const shownAlarms = 3;

/** State of this node in its fleet in one line, then one line per problem. */
export function fleetHead(report: FleetReport): string {
  const { fleet, node, phase, isBusConnected, error, alarms } = report;
  const others = report.nodes.filter(({ isOwn }) => !isOwn).length;
  const bus = isBusConnected || phase === 'failed' ? '' : `; ${busWords[error?.code ?? ''] ?? busWords['bus-down']}`;
  const lines = [`Fleet "${fleet}": this node is "${node}", ${phaseWords[phase]}, with ${countOf(others)}${bus}`];
  if (error) lines.push(`error: ${printableLine(error.message, maxErrorLength)}`);
  for (const { at, operation, subject } of alarms.slice(-shownAlarms)) {
    const what = `the NATS server forbade this node to ${operation} ${printableLine(subject, maxNameLength)}`;
    lines.push(`ALARM ${new Date(at).toISOString()}: ${what}`);
  }
  return `${lines.join('\n')}\n`;
}

/** By the code of the bus's failure. */
const busWords: Readonly<Record<string, string | undefined>> = {
  'bus-down': 'the NATS server cannot be reached',
  forbidden: 'the NATS server refuses its login',
  'unsuitable-bus': 'the NATS server lacks what a fleet needs',
};

const phaseWords: Readonly<Record<FleetReport['phase'], string>> = {
  joining: 'joining',
  joined: 'joined',
  'cut-off': 'cut off',
  failed: 'not a part of it',
  left: 'leaving',
};

function countOf(others: number): string {
  return others === 1 ? '1 other node' : `${others} other nodes`;
}

/** One row per server of each node, this node first. */
export function fleetTable({ nodes, singletons }: FleetReport, styles: Styles, stream: Width): string {
  const holders = new Map(singletons.map(({ server, holder }) => [server, holder]));
  const rows = nodes.flatMap((node) =>
    node.servers.length === 0
      ? [[nodeText(node), '-', '-', '-', '-', '-']]
      : node.servers.map((server) => [
          nodeText(node),
          printableLine(server.server, maxNameLength),
          server.placement,
          stateText(server, styles),
          server.tools === undefined ? '-' : String(server.tools),
          calledText(server, node, holders),
        ]),
  );
  return rows.length === 0 ? '' : table(['Node', 'Server', 'Placement', 'State', 'Tools', 'Called here'], rows, stream);
}

/** Offers of other nodes, one row per name here; empty without any. */
export function othersTable({ nodes }: FleetReport, styles: Styles, stream: Width): string {
  const rows = nodes
    .filter(({ isOwn }) => !isOwn)
    .flatMap((node) =>
      node.servers.map((server) => [
        printableLine(`${server.server}@${node.node}`, maxNameLength),
        stateText(server, styles),
        server.placement,
        server.tools === undefined ? '-' : String(server.tools),
      ]),
    );
  return rows.length === 0 ? '' : table(['Server', 'State', 'Placement', 'Tools'], rows, stream);
}

function nodeText({ node, isOwn, state }: FleetNode): string {
  const name = printableLine(node, maxNameLength);
  if (isOwn) return `${name} (this node)`;
  return state === 'unreachable' ? `${name} (unreachable)` : name;
}

/** A server that runs once is called on its owner. */
function calledText(
  { server, source, placement }: FleetServer,
  { node }: FleetNode,
  holders: ReadonlyMap<string, string | undefined>,
): string {
  const name = source === undefined ? '-' : printableLine(source, maxNameLength);
  return placement === 'singleton' && holders.get(server) === node ? `${name} (owner)` : name;
}

function stateText({ state }: FleetServer, { green, yellow, red, dim }: Styles): string {
  const shown = printableLine(state, 30);
  if (state === 'running') return green(`● ${shown}`);
  if (state === 'stopped') return dim(`○ ${shown}`);
  return state === 'failed' || state === 'unreachable' ? red(`✗ ${shown}`) : yellow(`◐ ${shown}`);
}
