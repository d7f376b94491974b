import type { CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import type { Authorize } from '../../src/calls/admit-call.js';
import { type Caller, createCaller } from '../../src/calls/caller.js';
import type { CallLimitOptions } from '../../src/calls/limits.js';
import { type CallServing, serveCalls } from '../../src/calls/serve-calls.js';
import { createMemoryBroker, type MemoryBroker, type MemoryBus } from '../../src/memory.js';
import { createHostKey, type HostKey } from '../../src/principal/host-key.js';
import { createPrincipals, type Principals } from '../../src/principal/principals.js';
import type { FleetSource } from '../../src/source.js';
import { HandMadeHosts } from './hand-made-hosts.js';

/** What runs on the owner, and how. */
export interface TwoHostsOptions {
  readonly callTool?: FleetSource['callTool'];
  readonly sources?: (server: string) => FleetSource | undefined;
  readonly authorize?: Authorize;
  readonly limits?: CallLimitOptions;
  /** Of the edge, where they are others. */
  readonly edgeLimits?: CallLimitOptions;
  readonly maxPayloadBytes?: number;
}

/** Two hosts that know each other: calls come in at `edge`, and `owner` has the server `files`. */
export interface TwoHosts {
  readonly broker: MemoryBroker;
  readonly edgeBus: MemoryBus;
  readonly ownerBus: MemoryBus;
  readonly edgeKey: HostKey;
  /** As the edge knows the hosts, and as the owner does. */
  readonly atEdge: HandMadeHosts;
  readonly atOwner: HandMadeHosts;
  readonly principals: Principals;
  readonly caller: Caller;
  readonly serving: CallServing;
  readonly problems: { readonly message: string; readonly error?: unknown }[];
  call(
    tool?: string,
    args?: ToolArguments,
    options?: CallToolOptions & { readonly server?: string; readonly incarnation?: number },
  ): Promise<ToolCallResult>;
}

/** Keys take time to make, and one does for all tests. */
const edgeKeyOfAll = createHostKey();

export const textResult = (text: string): ToolCallResult => ({ content: [{ type: 'text', text }] });

export function sourceOf(callTool: FleetSource['callTool']): FleetSource {
  return { name: 'files', listTools: () => [], callTool };
}

export async function twoHosts({
  callTool = async () => textResult('done'),
  sources = (server) => (server === 'files' ? sourceOf(callTool) : undefined),
  authorize,
  limits,
  edgeLimits = limits,
  maxPayloadBytes,
}: TwoHostsOptions = {}): Promise<TwoHosts> {
  const broker = createMemoryBroker({ maxPayloadBytes });
  const edgeBus = broker.connect({ host: 'edge' });
  const ownerBus = broker.connect({ host: 'owner' });
  const edgeKey = await edgeKeyOfAll;
  const atEdge = new HandMadeHosts();
  const atOwner = new HandMadeHosts();
  atEdge.add('owner', { incarnation: 7 });
  atOwner.add('edge', { incarnation: 3, publicKey: edgeKey.publicKey });
  const principals = createPrincipals({ host: 'edge', incarnation: 3, privateKey: edgeKey.privateKey });
  const problems: TwoHosts['problems'] = [];
  const caller = createCaller({ bus: edgeBus, host: 'edge', hosts: atEdge, principals, limits: edgeLimits });
  const serving = serveCalls({
    ...{ bus: ownerBus, host: 'owner', incarnation: 7, hosts: atOwner, sources, authorize, limits },
    onProblem: (problem) => problems.push(problem),
  });
  return {
    ...{ broker, edgeBus, ownerBus, edgeKey, atEdge, atOwner, principals, caller, serving, problems },
    call: (tool = 'read', args = {}, { server = 'files', incarnation = 7, ...options } = {}) =>
      caller.call({ owner: 'owner', incarnation, server, tool, args, options }),
  };
}
