import type { SubscriptionFilter } from '@modelcontextprotocol/server';
import type { Notify } from '../../server/methods/client-server.js';
import { watchListing } from '../../serving/tool-listing.js';
import type { Audience } from '../audiences.js';
import type { GatewayCore } from '../gateway-core.js';
import { HeldResources, type HeldResourcesOptions } from './held-resources.js';

const STREAM = 'stream';

export interface FollowOptions extends HeldResourcesOptions {
  readonly wanted: SubscriptionFilter;
  readonly notify: Notify;
}

/** Notifies one stream of all changes that its audience may see. */
export function followChanges(
  core: GatewayCore,
  audience: Audience,
  { wanted, notify, ...whose }: FollowOptions,
): Disposable {
  const resources = new HeldResources(core, whose);
  const { toolsListChanged, resourceSubscriptions = [], ...wantedLists } = wanted;
  const listChanged = (capability: 'resources' | 'prompts') => {
    if (wantedLists[`${capability}ListChanged`]) notify(`notifications/${capability}/list_changed`);
  };
  const following = [
    audience.view.events.on('access-changed', () => {
      listChanged('resources');
      listChanged('prompts');
    }),
    core.lists.events.on('list-changed', async (change) => {
      if (await core.isChanged(audience, change)) listChanged(change.capability);
    }),
    core.upstreams.events.on('resource-updated', ({ server, uri }) => {
      if (!audience.policy({ kind: 'resource', server, uri }).isAllowed) return;
      for (const each of resources.wanted(server, uri)) notify('notifications/resources/updated', { uri: each });
    }),
  ];
  if (toolsListChanged) following.push(watchListing(audience.view, () => notify('notifications/tools/list_changed')));
  resources.holdAll(STREAM, resourceSubscriptions, audience);
  return {
    [Symbol.dispose]: () => {
      for (const subscription of following) subscription[Symbol.dispose]();
      resources.end();
    },
  };
}
