import type { SubscriptionFilter } from '@modelcontextprotocol/server';
import type { HeldView } from '../server/held-view.js';
import type { ClientRequest, Fields } from '../server/methods/client-request.js';
import { ClientServer, type Notify } from '../server/methods/client-server.js';
import { silentHandler } from './bridging/silent-handler.js';
import { capabilitiesOf, selfDescriptionOf } from './capabilities.js';
import { type ClientParts, partsOf } from './client-parts.js';
import type { GatewayCore } from './gateway-core.js';
import { type GatewayHandlers, gatewayMethods, passOn } from './gateway-methods.js';
import { type ClientWishes, type GatewayScope, requestOwnerOf, type WishOptions } from './gateway-scope.js';
import { OtherRequests } from './passing-on/other-requests.js';
import { followChanges } from './subscriptions/followed-changes.js';

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
