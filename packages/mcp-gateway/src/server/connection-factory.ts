import type { McpServer, ServerEventBus } from '@modelcontextprotocol/server';
import type { RegistryView } from '../views/view.js';
import { Announcer } from './announcer.js';
import type { DirectCalls, DirectServer } from './direct-calls.js';
import { HeldView } from './held-view.js';
import { createListingBus } from './listing-bus.js';
import { createRegistryServer, type ServerScope } from './registry-server.js';
import type { ServingPolicy } from './serving-policy.js';

/** One request of the 2026-07-28 revision, to whoever answers it. */
export interface RequestScope {
  /** The `id` of the caller that it is of. */
  readonly owner: string;
  /** To be called before it is answered that there is no such method, which HTTP has a status for. */
  readonly onUnknownMethod: () => void;
  /** What has come of it already, if it is a call: it is not to be made again. */
  readonly prepared?: (() => Promise<unknown>) | undefined;
}

/**
 * What an HTTP handler puts behind the requests that it lets through. `owner` is the `id` of the caller that they are of.
 */
export interface ConnectionFactory {
  /** Answers one request of the 2026-07-28 revision. */
  forRequest(view: RegistryView, scope: RequestScope): McpServer;
  /** Answers a session of the revisions before it, and tells its client of changes until `end`, which may come twice. */
  forSession(view: HeldView, owner: string): { readonly server: DirectServer; readonly end: () => void };
  /** Answers plain calls of the 2026-07-28 revision without a server, where that can be done. */
  directFor?(view: RegistryView, owner: string): DirectCalls;
  /** What can be had of what a `subscriptions/listen` asks for. Default: all. */
  narrowed?(request: object, owner: string): object;
  /** Where the stream that a `subscriptions/listen` opens learns of changes. */
  busFor(view: RegistryView, request: object, owner: string): ServerEventBus;
}

export function registryConnections(policy: ServingPolicy, scope: ServerScope): ConnectionFactory {
  return {
    forRequest: (view) => createRegistryServer(new HeldView(view), policy, scope),
    forSession: (view) => {
      const server = createRegistryServer(view, policy, scope);
      return { server: new Announcer(view, policy.onError).follow(server, 'legacy'), end: () => undefined };
    },
    busFor: createListingBus,
  };
}
