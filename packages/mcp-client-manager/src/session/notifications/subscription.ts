import type { RpcError } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { JsonRpcError, type Params } from '../peer/json-rpc.js';
import type { Peer } from '../peer/peer.js';
import { PeerRequest } from '../peer/peer-request.js';
import { lostInFlight } from '../peer/request-error.js';

export interface SubscriptionFilter {
  readonly toolsListChanged?: unknown;
  readonly promptsListChanged?: unknown;
  readonly resourcesListChanged?: unknown;
  readonly resourceSubscriptions?: unknown;
}

/** One `subscriptions/listen` request (revision 2026-07-28). Stays open while the server sends notifications. */
export class Subscription extends PeerRequest {
  readonly method = 'subscriptions/listen';
  readonly caller = undefined;
  /** Rejects with a `JsonRpcError` if the server refuses, or with the failure that ended it. */
  readonly opened: Promise<void>;
  readonly closed: Promise<void>;
  honored: SubscriptionFilter = {};
  readonly #peer: Peer;
  readonly #filter: SubscriptionFilter;
  #open: () => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;
  #end: () => void = () => undefined;

  constructor(peer: Peer, filter: SubscriptionFilter) {
    super();
    this.#peer = peer;
    this.#filter = filter;
    this.opened = new Promise((resolve, reject) => {
      this.#open = resolve;
      this.#fail = reject;
    });
    this.opened.catch(() => undefined); // `closed` reports the end, too
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
    try {
      peer.send(this);
    } catch (error) {
      this.#over(error);
    }
  }

  paramsFor(): Params {
    return { _meta: { ...this.#peer.envelope }, notifications: this.#filter };
  }

  acknowledged(honored: unknown): void {
    this.honored = isRecord(honored) ? honored : {};
    this.#open();
  }

  close(): void {
    this.#peer.cancel(this, new Error('The subscription is no longer needed'));
    this.#over(lostInFlight());
  }

  cancelled(): void {
    this.#peer.drop(this);
    this.#over(lostInFlight());
  }

  onSent(): void {}

  onResult(): void {
    this.#over(lostInFlight());
  }

  onRefused({ code, message, data }: RpcError): void {
    this.#over(new JsonRpcError(code, message, data));
  }

  onLost(): void {
    this.#over(lostInFlight());
  }

  onUndelivered(error: unknown): void {
    this.#over(error);
  }

  #over(error: unknown): void {
    this.#fail(error);
    this.#end();
  }
}
