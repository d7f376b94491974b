import type { CallView, FleetView } from '../../../src/dashboard/page-messages.js';

/** The known hops of a call, such as `editor 1.0 → this daemon → node build-2 → tickets`. Names are untrusted. */
export function wayOf({ client, server }: CallView, fleet: FleetView | undefined): string {
  const place = placeOf(server, fleet);
  const hops = [client ?? 'a client without a name', 'this daemon', place?.node, place?.server ?? server];
  return hops.filter((hop) => hop !== undefined).join(' → ');
}

/** The node that has the server now. `undefined` for a server of this daemon. */
function placeOf(source: string | undefined, fleet: FleetView | undefined) {
  const rows = fleet?.servers.filter((row) => source !== undefined && row.source === source) ?? [];
  const owner = rows.find(({ isOwner }) => isOwner);
  const nodes = (owner ? [owner] : rows).map(({ node }) => node);
  const [row] = rows;
  if (row === undefined || nodes.some((node) => node === fleet?.node)) return undefined;
  return { server: row.server, node: nodes.length > 1 ? `one of the nodes ${nodes.join(', ')}` : `node ${nodes[0]}` };
}
