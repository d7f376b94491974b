import type { FleetBus } from './bus.js';
import { serveCalls } from './calls/incoming/serve-calls.js';
import type { KnownNodes } from './calls/known-nodes.js';
import { type Caller, createCaller } from './calls/outgoing/caller.js';
import { serveDefinitions } from './catalog/define-service.js';
import type { Definition } from './catalog/definition.js';
import type { FleetEvents } from './events.js';
import type { FleetPolicy } from './options.js';
import { createPrincipals, type NodeKey } from './principal/principals.js';
import type { FleetSource } from './source.js';

interface ServiceOptions {
  readonly bus: FleetBus;
  readonly policy: FleetPolicy;
  readonly incarnation: number;
  readonly nodes: KnownNodes;
  readonly privateKey: NodeKey['privateKey'];
  callee(server: string): FleetSource | undefined;
  find(digest: string): Definition | undefined;
  onProblem(problem: FleetEvents['problem']): void;
}

export interface FleetService {
  readonly caller: Caller;
  close(): void;
}

export function openService({
  bus,
  policy,
  incarnation,
  nodes,
  privateKey,
  callee,
  find,
  onProblem,
}: ServiceOptions): FleetService {
  const { node, authorize, maxResultBytes, maxCallsPerNode } = policy;
  const limits = { maxResultBytes, maxCallsPerNode };
  const caller = createCaller({
    bus,
    node,
    nodes,
    principals: createPrincipals({ node, incarnation, privateKey }),
    limits,
  });
  const calls = serveCalls({ bus, node, incarnation, sources: callee, nodes, authorize, limits, onProblem });
  const definitions = serveDefinitions({ bus, node, find });
  return {
    caller,
    close() {
      definitions[Symbol.dispose]();
      calls.close();
      caller.close();
    },
  };
}
