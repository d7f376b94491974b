import type { SourceCallOptions, SourceToolResult, ToolArguments } from '@x/internal/contracts';
import type { Authorize } from '../../src/calls/incoming/admit-call.js';
import { type CallServing, serveCalls } from '../../src/calls/incoming/serve-calls.js';
import type { CallLimitOptions } from '../../src/calls/limits.js';
import { type Caller, createCaller } from '../../src/calls/outgoing/caller.js';
import { createMemoryBroker, type MemoryBroker, type MemoryBus } from '../../src/memory.js';
import { createNodeKey, createPrincipals, type NodeKey, type Principals } from '../../src/principal/principals.js';
import type { FleetSource } from '../../src/source.js';
import { HandMadeNodes } from './hand-made-nodes.js';

/** What runs on the owner, and how. */
export interface TwoNodesOptions {
  readonly callTool?: FleetSource['callTool'];
  readonly sources?: (server: string) => FleetSource | undefined;
  readonly authorize?: Authorize;
  readonly limits?: CallLimitOptions;
  /** Of the edge, where they are others. */
  readonly edgeLimits?: CallLimitOptions;
  readonly maxPayloadBytes?: number;
}

/** Two nodes that know each other: calls come in at `edge`, and `owner` has the server `files`. */
export interface TwoNodes {
  readonly broker: MemoryBroker;
  readonly edgeBus: MemoryBus;
  readonly ownerBus: MemoryBus;
  readonly edgeKey: NodeKey;
  /** As the edge knows the nodes, and as the owner does. */
  readonly atEdge: HandMadeNodes;
  readonly atOwner: HandMadeNodes;
  readonly principals: Principals;
  readonly caller: Caller;
  readonly serving: CallServing;
  readonly problems: { readonly message: string; readonly error?: unknown }[];
  call(
    tool?: string,
    args?: ToolArguments,
    options?: SourceCallOptions & { readonly server?: string; readonly incarnation?: number },
  ): Promise<SourceToolResult>;
}

/** Keys take time to make, and one does for all tests. */
const edgeKeyOfAll = createNodeKey();

export const textResult = (text: string): SourceToolResult => ({ content: [{ type: 'text', text }] });

export function sourceOf(callTool: FleetSource['callTool']): FleetSource {
  return { name: 'files', listTools: () => [], callTool };
}

export async function twoNodes({
  callTool = async () => textResult('done'),
  sources = (server) => (server === 'files' ? sourceOf(callTool) : undefined),
  authorize,
  limits,
  edgeLimits = limits,
  maxPayloadBytes,
}: TwoNodesOptions = {}): Promise<TwoNodes> {
  const broker = createMemoryBroker({ maxPayloadBytes });
  const edgeBus = broker.connect({ node: 'edge' });
  const ownerBus = broker.connect({ node: 'owner' });
  const edgeKey = await edgeKeyOfAll;
  const atEdge = new HandMadeNodes();
  const atOwner = new HandMadeNodes();
  atEdge.add('owner', { incarnation: 7 });
  atOwner.add('edge', { incarnation: 3, publicKey: edgeKey.publicKey });
  const principals = createPrincipals({ node: 'edge', incarnation: 3, privateKey: edgeKey.privateKey });
  const problems: TwoNodes['problems'] = [];
  const caller = createCaller({ bus: edgeBus, node: 'edge', nodes: atEdge, principals, limits: edgeLimits });
  const serving = serveCalls({
    ...{ bus: ownerBus, node: 'owner', incarnation: 7, nodes: atOwner, sources, authorize, limits },
    onProblem: (problem) => problems.push(problem),
  });
  return {
    ...{ broker, edgeBus, ownerBus, edgeKey, atEdge, atOwner, principals, caller, serving, problems },
    call: (tool = 'read', args = {}, { server = 'files', incarnation = 7, ...options } = {}) =>
      caller.call({ owner: 'owner', incarnation, server, tool, args, options }),
  };
}
