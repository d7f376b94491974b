import type { CallHost } from '@x/internal/contracts';
import type { Era } from '../server/methods/client-request.js';
import type { GatewayUpstream, LogLevel } from './upstream.js';

/** To whom a client's requests belong at a server: for its share of the turns, and for what the server logs. */
export function requestOwnerOf(
  { owner, hasOneCaller }: Pick<GatewayScope, 'owner' | 'hasOneCaller'>,
  { principal, client }: { readonly principal: string | undefined; readonly client: unknown },
): unknown {
  return principal ?? (hasOneCaller ? client : owner);
}

/** A request that a wish is made by: until when it waits, and who answers what a server asks meanwhile. */
export interface WishOptions {
  readonly signal: AbortSignal;
  readonly hostOf: (upstream: GatewayUpstream) => CallHost;
}

/** What a client of the revisions before 2026-07-28 has asked its connection for. */
export interface ClientWishes {
  subscribe(uri: string, options: WishOptions): Promise<void>;
  unsubscribe(uri: string): void;
  setLogLevel(level: LogLevel, options: WishOptions): Promise<void>;
  /** The client's directories have changed. */
  rootsChanged(): void;
  /** The client is sent to a page, and is to be told when its server says that it is done with. */
  expectPage(server: string, elicitationId: string): void;
}

/** What is known of who is served, and how, before anything was asked. */
export interface GatewayScope {
  readonly era: Era;
  /** The same for all connections of one caller; tasks belong to whoever has made them. */
  readonly owner: string;
  /** Whether everybody who asks is that one owner. */
  readonly isAnonymous?: boolean;
  /** Whether one token, or none, stands for everybody who asks, so that only connections tell clients apart. */
  readonly hasOneCaller?: boolean;
}
