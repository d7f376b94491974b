import type { FleetReport } from '../fleet/fleet-report.js';
import type { FleetView } from './page-messages.js';
import { shortened } from './shortened.js';

const maxRows = 1_000;
const maxNameLength = 200;
const maxTextLength = 2_000;

/** A fleet for the page, in limited size. */
export function fleetView(report: FleetReport): FleetView {
  const { fleet, node, phase, isBusConnected, error, nodes, singletons, alarms } = report;
  const holders = new Map(singletons.map(({ server, holder }) => [server, holder]));
  const rows = nodes.flatMap((each) => each.servers.map((server) => ({ ...server, node: each.node })));
  return {
    fleet,
    node,
    phase,
    isBusConnected,
    ...(error && { error: shortened(error.message, maxTextLength) }),
    nodes: nodes.slice(0, maxRows).map(({ node: name, isOwn, state, servers }) => ({
      name: shortened(name, maxNameLength),
      isOwn,
      state,
      servers: servers.length,
    })),
    servers: rows.slice(0, maxRows).map((row) => ({
      node: shortened(row.node, maxNameLength),
      server: shortened(row.server, maxNameLength),
      placement: row.placement,
      state: shortened(row.state, maxNameLength),
      isOwner: row.placement === 'singleton' && holders.get(row.server) === row.node,
      ...(row.source !== undefined && { source: shortened(row.source, maxNameLength) }),
      ...(row.tools !== undefined && { tools: row.tools }),
    })),
    moreServers: Math.max(0, rows.length - maxRows),
    alarms: alarms.map(({ at, operation, subject }) => ({ at, operation, subject: shortened(subject, maxNameLength) })),
  };
}
