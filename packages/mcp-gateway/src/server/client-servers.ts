import type { RegistryView } from '../registry.js';
import type { ServingPolicy } from '../serving/serving-policy.js';
import { HeldView } from './held-view.js';
import type { ClientServer } from './methods/client-server.js';
import { RegistryServer } from './methods/registry-server.js';

/** `owner` is the caller's `id`. */
export interface ClientServers {
  /** Serves one request of revision 2026-07-28. */
  forRequest(view: RegistryView, owner: string): ClientServer;
  /** Serves one session of an earlier revision, until `end`, which is idempotent. */
  forSession(view: HeldView, owner: string): { readonly server: ClientServer; readonly end: () => void };
}

export function registryServers(policy: ServingPolicy, cacheScope: 'public' | 'private'): ClientServers {
  return {
    forRequest: (view) => new RegistryServer(new HeldView(view), policy, { era: 'modern', cacheScope }),
    forSession: (view) => ({
      server: new RegistryServer(view, policy, { era: 'legacy', cacheScope }),
      end: () => undefined,
    }),
  };
}
