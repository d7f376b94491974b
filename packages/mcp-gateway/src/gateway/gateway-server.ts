import type { SubscriptionFilter } from '@modelcontextprotocol/server';
import type { HeldView } from '../server/held-view.js';
import type { ClientRequest, Fields } from '../server/methods/client-request.js';
import { ClientServer, type Notify } from '../server/methods/client-server.js';
import { watchListing } from '../serving/tool-listing.js';
import type { Audience } from './audiences.js';
import { silentHandler } from './bridging/call-handlers.js';
import { capabilitiesOf, selfDescriptionOf } from './capabilities.js';
import { type ClientParts, partsOf } from './client-services.js';
import { OtherRequests } from './forwarding/forwarded-requests.js';
import { type ClientWishes, type GatewayScope, requestOwnerOf, type WishOptions } from './gateway-clients.js';
import type { GatewayCore } from './gateway-core.js';
import { type GatewayHandlers, gatewayMethods, passOn } from './gateway-methods.js';
import { HeldResources, type HeldResourcesOptions } from './subscriptions/held-resources.js';

export class GatewayServer extends ClientServer implements GatewayHandlers {
  override readonly methods = gatewayMethods;
  override readonly otherwise = passOn;
  readonly parts: ClientParts;
  readonly wishes: ClientWishes | undefined;
  readonly #scope: GatewayScope;

  constructor(core: GatewayCore, held: HeldView, scope: GatewayScope, wishes?: ClientWishes) {
    const audience = core.audiences.ofView(held.current);
    const introduction = selfDescriptionOf(core, audience);
    const listHint = { ttlMs: introduction.listTtlMs, cacheScope: 'private' } as const;
    const declare = () => capabilitiesOf(core, { era: scope.era, audience });
    super(scope.era, { introduction, declare, listHint });
    this.#scope = scope;
    this.wishes = wishes;
    this.parts = partsOf({
      core,
      held,
      scope,
      wishes,
      connection: this,
      capabilities: () => this.clientCapabilities,
    });
  }

  override fitting(uris: readonly string[]): readonly string[] {
    return this.parts.core.shares.fitting(this.#scope.owner, uris);
  }

  override follow(wanted: SubscriptionFilter, notify: Notify): Disposable {
    const { owner, isAnonymous } = this.#scope;
    const audience = this.parts.audience();
    const { principal } = audience;
    const client = this.wishes ?? principal ?? (isAnonymous ? this : owner);
    const silent = silentHandler(client, requestOwnerOf(this.#scope, { principal, client }));
    return followChanges(this.parts.core, audience, { wanted, notify, owner, silent });
  }

  override async heed(method: string, params: Fields): Promise<void> {
    if (method === 'notifications/roots/list_changed') this.wishes?.rootsChanged();
    // Revision 2026-07-28 has no such notification.
    else if (method !== 'notifications/tasks/status' || this.era === 'legacy') {
      await new OtherRequests(this.parts).noteOn(method, params);
    }
  }

  wishOptions(request: ClientRequest): WishOptions {
    return { signal: request.signal, handlerOf: (upstream) => this.parts.bridge.handlerOf(request, upstream) };
  }
}

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
