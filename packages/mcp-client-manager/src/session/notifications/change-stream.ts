import { pause } from '@x/internal/async';
import { JsonRpcError, numberOfId, type Params } from '../peer/json-rpc.js';
import type { Peer } from '../peer/peer.js';
import { lostBeforeSending } from '../peer/request-error.js';
import { subscriptionKey } from '../protocol.js';
import type { ServerCapabilities } from '../session.js';
import type { ServerList } from '../session-listeners.js';
import { Subscription, type SubscriptionFilter } from './subscription.js';

const retry = { firstMs: 500, maxMs: 60_000 };
/** A stream that was open for this long resets the backoff. */
const stableMs = 30_000;

interface ChangeStreamOptions {
  readonly peer: Peer;
  readonly capabilities: ServerCapabilities;
  /** The server reports changes of these lists from now on. Earlier ones may be missed. */
  readonly onWatched: (lists: readonly ServerList[]) => void;
}

/**
 * Keeps a `subscriptions/listen` request open: without it, servers of revision 2026-07-28 report no changes. For
 * another filter, opens the next request before it closes the last.
 */
export class ChangeStream {
  readonly #options: ChangeStreamOptions;
  readonly #lifetime = new AbortController();
  readonly #resources = new Set<string>();
  readonly #subscriptions = new Set<Subscription>();
  #current: Subscription | undefined;
  #turn = 0;
  #failures = 0;

  constructor(options: ChangeStreamOptions) {
    this.#options = options;
  }

  /** Resolves when the server has agreed, or the attempt has failed. Never rejects. */
  async open(): Promise<void> {
    try {
      await this.#attempt();
    } catch (error) {
      if (!this.#lifetime.signal.aborted && isWorthRetrying(error)) void this.#tryAgain();
    }
  }

  /** Rejects if the server refuses. */
  async addResource(uri: string): Promise<void> {
    if (this.#resources.has(uri)) return;
    this.#resources.add(uri);
    try {
      await this.#attempt();
    } catch (error) {
      this.#resources.delete(uri);
      this.#openLater();
      throw error;
    }
  }

  /** Rejects if the server refuses. */
  async removeResource(uri: string): Promise<void> {
    if (!this.#resources.delete(uri)) return;
    try {
      await this.#attempt();
    } catch (error) {
      this.#openLater();
      throw error;
    }
  }

  close(): void {
    this.#lifetime.abort(lostBeforeSending());
    for (const subscription of this.#subscriptions) subscription.close();
  }

  onNotification(method: string, params: Params): void {
    if (method === 'notifications/subscriptions/acknowledged') {
      const { _meta: meta, notifications } = params;
      this.#find((meta as Params | undefined)?.[subscriptionKey])?.acknowledged(notifications);
    } else if (method === 'notifications/cancelled') this.#find(params.requestId)?.cancelled();
  }

  #find(id: unknown): Subscription | undefined {
    const number = numberOfId(id);
    return [...this.#subscriptions].find((subscription) => subscription.id === number);
  }

  async #attempt(): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    const filter = this.#filter();
    const isWanted = Object.keys(filter).length > 0;
    const stream = isWanted ? await this.#subscribe(filter) : undefined;
    if (turn !== this.#turn) return stream?.close();
    const previous = this.#current;
    this.#current = stream;
    if (stream) {
      void this.#reopenAfter(stream);
      this.#options.onWatched(honoredLists(stream.honored));
    }
    previous?.close();
  }

  async #subscribe(filter: SubscriptionFilter): Promise<Subscription> {
    this.#lifetime.signal.throwIfAborted();
    const subscription = new Subscription(this.#options.peer, filter);
    this.#subscriptions.add(subscription);
    void subscription.closed.then(() => this.#subscriptions.delete(subscription));
    await subscription.opened;
    return subscription;
  }

  async #reopenAfter(stream: Subscription): Promise<void> {
    const openedAt = performance.now();
    await stream.closed;
    if (this.#current !== stream) return;
    this.#current = undefined;
    if (performance.now() - openedAt >= stableMs) this.#failures = 0;
    await this.#tryAgain();
  }

  #openLater(): void {
    if (!this.#current && !this.#lifetime.signal.aborted) void this.#tryAgain();
  }

  /** Until success, refusal, the session's end or a newer attempt. */
  async #tryAgain(): Promise<void> {
    for (let turn = this.#turn; turn === this.#turn; turn += 1) {
      const delayMs = Math.min(retry.firstMs * 2 ** this.#failures, retry.maxMs);
      this.#failures += 1;
      try {
        await pause(delayMs, this.#lifetime.signal);
        if (turn !== this.#turn) return;
        return await this.#attempt(); // increments the turn
      } catch (error) {
        if (this.#lifetime.signal.aborted || !isWorthRetrying(error)) return;
      }
    }
  }

  #filter(): SubscriptionFilter {
    const { tools, resources, prompts } = this.#options.capabilities;
    return {
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(prompts?.listChanged && { promptsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
      ...(this.#resources.size > 0 && { resourceSubscriptions: [...this.#resources] }),
    };
  }
}

/** False if the server refused the stream: then it reports no changes. */
function isWorthRetrying(error: unknown): boolean {
  return !(error instanceof JsonRpcError);
}

function honoredLists(filter: SubscriptionFilter): readonly ServerList[] {
  return [
    ...(filter.toolsListChanged === true ? (['tools'] as const) : []),
    ...(filter.resourcesListChanged === true ? (['resources'] as const) : []),
    ...(filter.promptsListChanged === true ? (['prompts'] as const) : []),
  ];
}
