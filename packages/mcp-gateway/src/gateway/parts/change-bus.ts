import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import { watchListing } from '../../serving/listing-changes.js';
import type { Audience } from '../audiences.js';
import type { GatewayCore } from '../gateway-core.js';
import { HeldResources, type HeldResourcesOptions } from '../subscriptions/held-resources.js';
import { wantedUris } from '../subscriptions/listen-request.js';

const STREAM = 'stream';

/**
 * Where a `subscriptions/listen` over HTTP learns of changes: of what its audience may use, and nothing that others are
 * told. Servers are subscribed to as long as the stream is open.
 */
export function createChangeBus(
  core: GatewayCore,
  audience: Audience,
  { request, ...whose }: HeldResourcesOptions & { readonly request: object },
): ServerEventBus {
  return {
    publish: () => undefined,
    subscribe(listener: (event: ServerEvent) => void) {
      const resources = new HeldResources(core, whose);
      const following = [
        watchListing(audience.view, () => listener({ kind: 'tools_list_changed' })),
        audience.view.events.on('access-changed', () => {
          for (const kind of ['resources_list_changed', 'prompts_list_changed'] as const) listener({ kind });
        }),
        core.lists.events.on('list-changed', async (change) => {
          if (await core.isChanged(audience, change)) listener({ kind: `${change.capability}_list_changed` });
        }),
        core.upstreams.events.on('resource-updated', ({ server, uri }) => {
          if (!audience.policy({ kind: 'resource', server, uri }).isAllowed) return;
          for (const wanted of resources.wanted(server, uri)) listener({ kind: 'resource_updated', uri: wanted });
        }),
      ];
      resources.holdAll(STREAM, wantedTexts(request), audience);
      return () => {
        for (const subscription of following) subscription[Symbol.dispose]();
        resources.end();
      };
    },
  };
}

/** Checked by the protocol library before it subscribes; what it takes back is no more than this. */
function wantedTexts(request: object): readonly string[] {
  return (wantedUris(request) ?? []).filter((uri) => typeof uri === 'string');
}
