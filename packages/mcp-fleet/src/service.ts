import type { FleetBus } from './bus.js';
import { type Caller, createCaller } from './calls/caller.js';
import type { KnownHosts } from './calls/known-hosts.js';
import { serveCalls } from './calls/serve-calls.js';
import { serveDefinitions } from './catalogue/define-service.js';
import type { Definition } from './catalogue/definition.js';
import type { FleetEvents } from './events.js';
import type { FleetPolicy } from './options.js';
import type { HostKey } from './principal/host-key.js';
import { createPrincipals } from './principal/principals.js';
import type { FleetSource } from './source.js';

export interface ServiceOptions {
  readonly bus: FleetBus;
  readonly policy: FleetPolicy;
  readonly incarnation: number;
  readonly hosts: KnownHosts;
  readonly privateKey: HostKey['privateKey'];
  /** What other hosts' calls of a server run on, as `sources` of an `Admission`. */
  callee(server: string): FleetSource | undefined;
  find(digest: string): Definition | undefined;
  /** Told what went wrong here that no caller may be told of. */
  onProblem(problem: FleetEvents['problem']): void;
}

/** What a host is to others from when it has its name on: it calls and is called, and tells what its tools are. */
export interface FleetService {
  readonly caller: Caller;
  close(): void;
}

export function openService({
  bus,
  policy,
  incarnation,
  hosts,
  privateKey,
  callee,
  find,
  onProblem,
}: ServiceOptions): FleetService {
  const { host, authorize, maxResultBytes, maxCallsPerHost } = policy;
  const limits = { maxResultBytes, maxCallsPerHost };
  const caller = createCaller({
    bus,
    host,
    hosts,
    principals: createPrincipals({ host, incarnation, privateKey }),
    limits,
  });
  const calls = serveCalls({ bus, host, incarnation, sources: callee, hosts, authorize, limits, onProblem });
  const definitions = serveDefinitions({ bus, host, find });
  return {
    caller,
    close() {
      definitions[Symbol.dispose]();
      calls.close();
      caller.close();
    },
  };
}
