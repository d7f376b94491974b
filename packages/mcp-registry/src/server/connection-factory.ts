import type { McpServer, ServerEventBus } from '@modelcontextprotocol/server';
import type { RegistryView } from '../view.js';
import { Announcer } from './announcer.js';
import { HeldView } from './held-view.js';
import { createListingBus } from './listing-bus.js';
import { createRegistryServer, type ServerScope } from './registry-server.js';
import type { ServingPolicy } from './serving-policy.js';

/** What an HTTP handler puts behind the requests that it lets through. */
export interface ConnectionFactory {
  /** Answers one request of the 2026-07-28 revision. */
  forRequest(view: RegistryView): McpServer;
  /** Answers a session of the revisions before it, and tells its client of changes until `end`, which may come twice. */
  forSession(view: HeldView): { readonly server: McpServer; readonly end: () => void };
  /** Where the stream that a `subscriptions/listen` opens learns of changes. */
  busFor(view: RegistryView, request: object): ServerEventBus;
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
