import type { EventSource } from '@x/internal/contracts';
import { Emitter } from '@x/internal/events';
import type { GatewayUpstream, GatewayUpstreams, UpstreamEntry, UpstreamSession } from '../upstream.js';
import { type PartKind, partKinds, partRules } from './part-kinds.js';
import { type ListReading, type ReadingOptions, UpstreamList } from './upstream-list.js';

interface ListEvents {
  'list-changed': ListChange;
  connected: { readonly upstream: GatewayUpstream };
}

export interface ListChange {
  readonly server: string;
  readonly capability: 'resources' | 'prompts';
  /** The lists that may have changed, with their previous content. */
  readonly before: readonly { readonly kind: PartKind; readonly items: readonly UpstreamEntry[] }[];
}

interface ServerReading extends ListReading {
  readonly upstream: GatewayUpstream;
}

interface Lists extends Readonly<Record<PartKind, UpstreamList>> {
  readonly upstream: GatewayUpstream;
  session: UpstreamSession | undefined;
}

export class UpstreamLists {
  readonly #upstreams: GatewayUpstreams;
  readonly #options: Omit<ReadingOptions, 'onLate'>;
  readonly #lists = new Map<string, Lists>();
  readonly #emitter = new Emitter<ListEvents>();
  readonly #following: readonly Disposable[];

  constructor(upstreams: GatewayUpstreams, options: Omit<ReadingOptions, 'onLate'>) {
    this.#upstreams = upstreams;
    this.#options = options;
    const { events } = upstreams;
    this.#following = [
      events.on('resources-changed', ({ server }) => this.#announce(server, 'resources')),
      events.on('prompts-changed', ({ server }) => this.#announce(server, 'prompts')),
      events.on('server-state', ({ server }) => this.#followSession(server)),
      events.on('servers-changed', () => this.#followServers()),
    ];
    this.#followServers();
  }

  get events(): EventSource<ListEvents> {
    return this.#emitter;
  }

  /** Never rejects. */
  read(kind: PartKind, options?: { readonly isNextPage?: boolean }): Promise<readonly ServerReading[]> {
    const readings = Array.from(this.#upstreams.servers(), async (upstream) => ({
      upstream,
      ...(await this.#of(upstream)[kind].read(options)),
    }));
    return Promise.all(readings);
  }

  async readOne(kind: PartKind, server: string): Promise<readonly UpstreamEntry[]> {
    return (await this.#lists.get(server)?.[kind].read())?.items ?? [];
  }

  /** Sends no request. */
  known(kind: PartKind, server: string): readonly UpstreamEntry[] {
    return this.#lists.get(server)?.[kind].items ?? [];
  }

  close(): void {
    for (const subscription of this.#following) subscription[Symbol.dispose]();
    for (const lists of this.#lists.values()) for (const kind of partKinds) lists[kind].reset();
    this.#emitter.clear();
  }

  #of(upstream: GatewayUpstream): Lists {
    const known = this.#lists.get(upstream.name);
    if (known?.upstream === upstream) return known;
    const list = (kind: PartKind) =>
      new UpstreamList(upstream, kind, {
        ...this.#options,
        onLate: (items) => this.#emitChange(upstream.name, [{ kind, items }]),
      });
    const lists: Lists = {
      upstream,
      session: upstream.session,
      resources: list('resources'),
      resourceTemplates: list('resourceTemplates'),
      prompts: list('prompts'),
    };
    this.#lists.set(upstream.name, lists);
    return lists;
  }

  #announce(server: string, capability: ListChange['capability']): void {
    const lists = this.#lists.get(server);
    if (lists === undefined) return;
    const kinds = partKinds.filter((kind) => partRules[kind].capability === capability);
    for (const kind of kinds) lists[kind].invalidate();
    this.#emitChange(
      server,
      kinds.map((kind) => ({ kind, items: lists[kind].items })),
    );
  }

  #emitChange(server: string, before: ListChange['before']): void {
    for (const capability of ['resources', 'prompts'] as const) {
      const ofIt = before.filter(({ kind }) => partRules[kind].capability === capability);
      if (ofIt.length > 0) this.#emitter.emit('list-changed', { server, capability, before: ofIt });
    }
  }

  /** A server may offer something else after a reconnect, without announcing it. */
  #followSession(server: string): void {
    const lists = this.#lists.get(server);
    if (lists === undefined || lists.session === lists.upstream.session) return;
    lists.session = lists.upstream.session;
    for (const kind of partKinds) lists[kind].reset();
    if (lists.session === undefined) return;
    this.#emitter.emit('connected', { upstream: lists.upstream });
    const { capabilities } = lists.session;
    for (const capability of ['resources', 'prompts'] as const) {
      if (capabilities[capability] !== undefined) this.#announce(server, capability);
    }
  }

  #followServers(): void {
    const upstreams = new Map(Array.from(this.#upstreams.servers(), (upstream) => [upstream.name, upstream]));
    for (const upstream of upstreams.values()) this.#of(upstream);
    for (const [server, lists] of this.#lists) {
      if (upstreams.has(server)) continue;
      this.#lists.delete(server);
      for (const kind of partKinds) lists[kind].reset();
      const before = partKinds.map((kind) => ({ kind, items: lists[kind].items }));
      this.#emitChange(
        server,
        before.filter(({ items }) => items.length > 0),
      );
    }
  }
}
