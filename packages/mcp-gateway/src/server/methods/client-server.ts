import type { RequestId, ServerCapabilities, SubscriptionFilter } from '@modelcontextprotocol/server';
import type { CallHandler, Telemetry } from '@x/internal/contracts';
import type { RegistryView } from '../../registry.js';
import type { ClientView } from '../client-view.js';
import type { ClientRequest, Era, Fields } from './client-request.js';

export interface CacheHint {
  readonly ttlMs: number;
  /** `public`: the list is the same for every client that can reach the server. */
  readonly cacheScope: 'public' | 'private';
}

interface Introduction {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly telemetry?: Telemetry | undefined;
}

interface ClientServerOptions {
  readonly introduction: Introduction;
  /** Called at most once, on first use: few requests need the capabilities. */
  readonly declare: () => ServerCapabilities;
  readonly listHint: CacheHint;
}

export type Notify = (method: string, params?: Fields) => void;

/** The server of one client: for a connection, or for one request of revision 2026-07-28. */
export abstract class ClientServer {
  readonly era: Era;
  readonly introduction: Introduction;
  readonly listHint: CacheHint;
  abstract readonly methods: MethodTable<this>;
  /** Handles methods without a row. Default: they are unknown. */
  readonly otherwise: MethodRow<this> | undefined = undefined;
  clientCapabilities: Fields | undefined;
  clientInfo: CallHandler['clientInfo'];
  revision: string | undefined;
  /** Ends each subscription, by request id. */
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
    // A client of earlier revisions must not be notified before it is initialized.
    this.#isReady = era === 'modern';
  }

  get capabilities(): ServerCapabilities {
    this.#capabilities ??= this.#declare();
    return this.#capabilities;
  }

  /** Filters the resources that one subscription may follow. */
  fitting(uris: readonly string[]): readonly string[] {
    return uris;
  }

  abstract follow(wanted: SubscriptionFilter, notify: Notify): Disposable;

  async receiveNotification(_method: string, _params: Fields): Promise<void> {}

  /** @param send - `undefined` when the connection has ended. */
  connect(send: Notify | undefined): void {
    this.#send = send;
  }

  ready(): void {
    this.#isReady = true;
  }

  /** Drops notifications until the client is ready. */
  notify(method: string, params?: Fields): void {
    if (this.#isReady) this.#send?.(method, params);
  }
}

export interface MethodRow<Server> {
  /** Default: all revisions have the method. */
  readonly era?: Era;
  /** True if the capabilities include the method. Default: always. */
  readonly offered?: (capabilities: ServerCapabilities) => boolean;
  /** Describes the first fault of the params. Default: the handler checks them. */
  readonly fault?: (params: Fields, era: Era) => string | undefined;
  /** True if a result may ask the client for input, from revision 2026-07-28 on. */
  readonly mayRequestInput?: boolean;
  /** True if a result needs a cache lifetime, from revision 2026-07-28 on. */
  readonly isCacheable?: boolean;
  /** True if the handler may find that the method is unknown. */
  readonly isUnknown?: boolean;
  answer(server: Server, params: Fields, request: ClientRequest): Promise<Fields> | Fields;
}

export type MethodTable<Server> = Readonly<Record<string, MethodRow<Server>>>;

interface RowScope<Server> {
  readonly era: Era;
  readonly capabilities: ServerCapabilities;
  readonly otherwise: MethodRow<Server> | undefined;
}

export function rowFor<Server>(
  method: string,
  scope: RowScope<Server>,
  ...tables: readonly MethodTable<Server>[]
): MethodRow<Server> | undefined {
  const row = tables.find((table) => Object.hasOwn(table, method))?.[method];
  if (row?.era !== undefined && row.era !== scope.era) return undefined;
  return row !== undefined && (row.offered?.(scope.capabilities) ?? true) ? row : scope.otherwise;
}

/** Keeps a drain waiting until the returned function is called. */
export type Hold = () => () => void;

/** `owner` is the caller's `id`. */
export interface ClientServers {
  /** Serves one request of revision 2026-07-28. A call that waits for the client's next request takes a hold. */
  forRequest(view: RegistryView, owner: string, hold: Hold): ClientServer;
  /** True if the message continues a call that holds a drain. Default: none does. */
  continues?(message: object): boolean;
  /** Serves one session of an earlier revision, until `end`, which is idempotent. */
  forSession(view: ClientView, owner: string): { readonly server: ClientServer; readonly end: () => void };
}
