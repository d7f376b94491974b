import type { RpcError } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { lostInFlight } from './call-error.js';
import { JsonRpcError, type Params } from './json-rpc.js';
import type { Peer } from './peer.js';
import { PeerRequest } from './peer-request.js';

/** Changes that a server is asked to send notifications of, or has agreed to. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: unknown;
  readonly promptsListChanged?: unknown;
  readonly resourcesListChanged?: unknown;
  readonly resourceSubscriptions?: unknown;
}

/** One `subscriptions/listen` of revision 2026-07-28. It has no answer for as long as the server sends notifications. */
export class Subscription extends PeerRequest {
  readonly method = 'subscriptions/listen';
  readonly host = undefined;
  /** Resolves when the server has agreed. Rejects with a `JsonRpcError` when it refuses, or with how it ended before. */
  readonly opened: Promise<void>;
  /** Settles with its end. Never rejects. */
  readonly closed: Promise<void>;
  /** What the server has agreed to. */
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
    this.opened.catch(() => undefined); // its end is also told by `closed`
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

  /** Ends it, and tells the server. */
  close(): void {
    this.#peer.cancel(this, new Error('The subscription is not wanted any more'));
    this.#over(lostInFlight());
  }

  /** The server has cancelled it. */
  cancelled(): void {
    this.#peer.drop(this);
    this.#over(lostInFlight());
  }

  onSent(): void {}

  /** The server has ended it in an orderly way. */
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
