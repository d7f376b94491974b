import type { FleetReport, FleetServer } from './fleet-report.js';

/** One statement about a fleet, with its subject. Contains untrusted text of other nodes. */
export interface FleetFact {
  readonly about: string;
  readonly text: string;
}

export type FleetFacts = ReadonlyMap<string, string>;

/** Statements that are new, and those that no longer hold. */
export function fleetChanges(known: FleetFacts, now: FleetFacts): readonly FleetFact[] {
  const changed = Array.from(now, ([about, text]) => ({ about, text })).filter(
    ({ about, text }) => known.get(about) !== text,
  );
  const gone = Array.from(known.keys()).filter((about) => !now.has(about));
  return [...changed, ...gone.map((about) => ({ about, text: 'gone' }))];
}

/** All statements of a report, by subject. */
export function fleetFacts(report: FleetReport | undefined): FleetFacts {
  if (report === undefined) return new Map([['this node', 'belongs to no fleet']]);
  const { fleet, node, phase, error, nodes, singletons, alarms } = report;
  return new Map([
    ['this node', `"${node}" of the fleet "${fleet}": ${phase}${error === undefined ? '' : `, ${error.message}`}`],
    ...nodes.filter(({ isOwn }) => !isOwn).map((other) => [`node ${other.node}`, other.state] as const),
    ...nodes.flatMap((each) =>
      each.servers.map((server) => [`${server.server}@${each.node}`, stateOf(server)] as const),
    ),
    ...singletons.map(
      ({ server, holder }) =>
        [`${server} of all`, holder === undefined ? 'runs nowhere' : `runs on ${holder}`] as const,
    ),
    // The same alarm again replaces the older one.
    ...alarms.map(
      ({ at, operation, subject }) =>
        [`ALARM ${operation} ${subject}`, `forbidden at ${new Date(at).toISOString()}`] as const,
    ),
  ]);
}

function stateOf({ state, tools }: FleetServer): string {
  return tools === undefined ? state : `${state}, ${tools} tools`;
}
