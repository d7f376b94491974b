import type { CallHandler } from '@x/internal/contracts';
import type { Era } from '../server/methods/client-request.js';
import type { GatewayUpstream, LogLevel } from './upstream.js';

/** Owner of a client's requests at a server: for its share of the turns, and for the server's log. */
export function requestOwnerOf(
  { owner, hasOneCaller }: Pick<GatewayScope, 'owner' | 'hasOneCaller'>,
  { principal, client }: { readonly principal: string | undefined; readonly client: unknown },
): unknown {
  return principal ?? (hasOneCaller ? client : owner);
}

/** The request of a subscription: its time limit, and the handler for server requests meanwhile. */
export interface WishOptions {
  readonly signal: AbortSignal;
  readonly handlerOf: (upstream: GatewayUpstream) => CallHandler;
}

/** Connection state of a client of the revisions before 2026-07-28. */
export interface ClientWishes {
  subscribe(uri: string, options: WishOptions): Promise<void>;
  unsubscribe(uri: string): void;
  setLogLevel(level: LogLevel, options: WishOptions): Promise<void>;
  /** The client's directories have changed. */
  rootsChanged(): void;
  /** The client is sent to a page, and should be notified of its completion. */
  expectPage(server: string, elicitationId: string): void;
}

/** Facts about an audience that are known before any request. */
export interface GatewayScope {
  readonly era: Era;
  /** The same for all connections of one caller; tasks belong to their creator. */
  readonly owner: string;
  /** True if all requesters are that one owner. */
  readonly isAnonymous?: boolean;
  /** True if one token, or none, stands for all requesters, so that only connections distinguish clients. */
  readonly hasOneCaller?: boolean;
}
