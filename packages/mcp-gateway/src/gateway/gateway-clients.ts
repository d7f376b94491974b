import type { CallHandler } from '@x/internal/contracts';
import type { Era } from '../server/methods/client-request.js';
import type { Hold } from '../server/methods/client-server.js';
import type { GatewayUpstream, LogLevel } from './upstream.js';

/** Returns the owner of a client's requests at a server: for fair turns, and for the server's log. */
export function requestOwnerOf(
  { owner, hasOneCaller }: Pick<GatewayScope, 'owner' | 'hasOneCaller'>,
  { principal, client }: { readonly principal: string | undefined; readonly client: unknown },
): unknown {
  return principal ?? (hasOneCaller ? client : owner);
}

export interface SubscribeOptions {
  readonly signal: AbortSignal;
  readonly handlerOf: (upstream: GatewayUpstream) => CallHandler;
}

/** Connection state of a client before revision 2026-07-28. */
export interface ConnectionState {
  subscribe(uri: string, options: SubscribeOptions): Promise<void>;
  unsubscribe(uri: string): void;
  setLogLevel(level: LogLevel, options: SubscribeOptions): Promise<void>;
  rootsChanged(): void;
  /** Records that the client is sent to a page, to notify it of the completion. */
  expectPage(server: string, elicitationId: string): void;
}

export interface GatewayScope {
  readonly era: Era;
  /** The same for all connections of one caller. Tasks belong to it. */
  readonly owner: string;
  /** True if callers are unknown, so that all share `owner`. */
  readonly isAnonymous?: boolean;
  /** True if all clients count as one caller: they send the same token, or need none. */
  readonly hasOneCaller?: boolean;
  /** For calls that wait for the client's next request. */
  readonly hold?: Hold;
}

/**
 * Counts clients. A server before revision 2026-07-28 has one connection for all of them, and state on it, such as
 * roots, is taken from a client only if there is no other.
 */
export class GatewayClients {
  #connections = 0;
  #handlers = 0;

  /** Counts until the result is disposed. */
  connect(): Disposable {
    this.#connections++;
    return once(() => this.#connections--);
  }

  /** Counts a handler with any number of clients, until the result is disposed. */
  admitMany(): Disposable {
    this.#handlers++;
    return once(() => this.#handlers--);
  }

  get isOne(): boolean {
    return this.#connections === 1 && this.#handlers === 0;
  }
}

function once(undo: () => void): Disposable {
  let isDone = false;
  return {
    [Symbol.dispose]: () => {
      if (!isDone) undo();
      isDone = true;
    },
  };
}
