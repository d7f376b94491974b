import type { RequestId, ServerCapabilities, SubscriptionFilter } from '@modelcontextprotocol/server';
import type { Era, Fields } from './client-request.js';
import type { MethodRow, MethodTable } from './method-table.js';

/** Cache lifetime of lists, and its scope. */
export interface CacheHint {
  readonly ttlMs: number;
  /** `public`: the list is the same for every client that can reach the server. */
  readonly cacheScope: 'public' | 'private';
}

/** Introduction of a server. */
export interface Introduction {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
}

export interface ClientServerOptions {
  readonly introduction: Introduction;
  /** Called once, when a client or a method needs the capabilities: few requests do. */
  readonly declare: () => ServerCapabilities;
  readonly listHint: CacheHint;
}

/** Notifies the client of one change. */
export type Notify = (method: string, params?: Fields) => void;

/** The server of one client: for a connection, or for one request of revision 2026-07-28. */
export abstract class ClientServer {
  readonly era: Era;
  readonly introduction: Introduction;
  /** Cache hint of `tools/list`. */
  readonly listHint: CacheHint;
  abstract readonly methods: MethodTable<this>;
  /** Handles methods without a row. Default: they are unknown. */
  readonly otherwise: MethodRow<this> | undefined = undefined;
  /** Capabilities that the client declared in `initialize`. */
  clientCapabilities: Fields | undefined;
  /** Revision that `initialize` agreed on. */
  revision: string | undefined;
  /** Ends each stream of changes of the client, by request. Created with the first one. */
  streams: Map<RequestId, () => void> | undefined;
  readonly #declare: () => ServerCapabilities;
  #capabilities: ServerCapabilities | undefined;
  #isReady: boolean;
  #send: Notify | undefined;

  constructor(era: Era, { introduction, declare, listHint }: ClientServerOptions) {
    this.era = era;
    this.introduction = introduction;
    this.#declare = declare;
    this.listHint = listHint;
    // A client of the earlier revisions must not be notified before it is initialized.
    this.#isReady = era === 'modern';
  }

  get capabilities(): ServerCapabilities {
    this.#capabilities ??= this.#declare();
    return this.#capabilities;
  }

  /** The resources of these that one stream of changes may follow. */
  fitting(uris: readonly string[]): readonly string[] {
    return uris;
  }

  /** Notifies a stream of changes until the result is disposed. */
  abstract follow(wanted: SubscriptionFilter, notify: Notify): Disposable;

  /** A notification of the client without a rule of the protocol. */
  async heed(_method: string, _params: Fields): Promise<void> {}

  /** @param send - Delivers notifications; `undefined` when the connection is over. */
  connect(send: Notify | undefined): void {
    this.#send = send;
  }

  ready(): void {
    this.#isReady = true;
  }

  /** Notifies the client outside of its requests. Dropped until the client is ready. */
  notify(method: string, params?: Fields): void {
    if (this.#isReady) this.#send?.(method, params);
  }
}
