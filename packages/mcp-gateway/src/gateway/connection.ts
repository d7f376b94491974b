import type { CallHandler } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import { BoundedMap } from '@x/internal/limits';
import { interceptNotification, interceptorsOf, peekTools } from '@x/internal/views';
import type { ClientView } from '../server/client-view.js';
import type { Era } from '../server/methods/client-request.js';
import type { Hold } from '../server/methods/client-server.js';
import { type Audience, maySeeLog, showsAllTools } from './audiences.js';
import { silentHandler } from './bridging/server-requests.js';
import { forwardedNotification } from './forwarding/unknown-methods.js';
import { type ConnectionState, type GatewayScope, requestOwnerOf, type SubscribeOptions } from './gateway-clients.js';
import type { GatewayCore } from './gateway-core.js';
import { GatewayServer } from './gateway-server.js';
import { isAbout, isWanted } from './log-levels.js';
import type { ListChange } from './resources-and-prompts/upstream-lists.js';
import { ResourceSubscriptions } from './subscriptions/resource-subscriptions.js';
import {
  type GatewayUpstream,
  type LogLevel,
  reasonOf,
  type UpstreamEvent,
  type UpstreamLogEntry,
  type UpstreamNotification,
} from './upstream.js';

const MAX_PAGES = 1_000;

/** A lasting connection: its client's subscriptions and notifications. */
export class GatewayConnection implements ConnectionState {
  readonly #core: GatewayCore;
  readonly #view: ClientView;
  readonly #scope: Omit<GatewayScope, 'era'>;
  readonly #silent: CallHandler;
  readonly #resources: ResourceSubscriptions;
  readonly #following: readonly Disposable[];
  /** Open pages by server and id. */
  readonly #pages = new BoundedMap<string, true>(MAX_PAGES);
  #level: LogLevel | undefined;
  #server: GatewayServer | undefined;

  constructor(core: GatewayCore, view: ClientView, scope: Omit<GatewayScope, 'era'>) {
    this.#core = core;
    this.#view = view;
    this.#scope = scope;
    view.watch(() => this.#notify('notifications/tools/list_changed'));
    view.watchAccess(() => this.#announceAccess());
    this.#silent = silentHandler(this, this.#requestOwner);
    this.#resources = new ResourceSubscriptions(core, { owner: scope.owner, silent: this.#silent });
    const { events } = core.upstreams;
    this.#following = [
      core.lists.events.on('list-changed', (change) => void this.#announceList(change)),
      core.lists.events.on('connected', ({ upstream }) => void this.#wantLog([upstream])),
      events.on('tools-relisted', ({ server }) => {
        if (showsAllTools(this.#audience, server)) this.#notify('notifications/tools/list_changed');
      }),
      events.on('resource-updated', ({ server, uri }) => this.#announceUpdate(server, uri)),
      events.on('server-log', (entry) => this.#forwardLog(entry)),
      events.on('server-notification', (event) => this.#forward(event)),
      events.on('elicitation-completed', ({ server, elicitationId }) => this.#announcePage(server, elicitationId)),
    ];
  }

  /** Creates the server for the connection. A second call replaces it while the two sides agree on a revision. */
  open(era: Era, hold?: Hold): GatewayServer {
    const scope = { ...this.#scope, era, ...(hold && { hold }) };
    this.#server = new GatewayServer(this.#core, this.#view, scope, this);
    if (era === 'legacy') void this.#wantLog(this.#core.upstreams.servers());
    else this.#core.levels.forget(this);
    return this.#server;
  }

  async subscribe(uri: string, options: SubscribeOptions): Promise<void> {
    await this.#resources.subscribe(uri, uri, { audience: this.#audience, ...options });
  }

  unsubscribe(uri: string): void {
    this.#resources.release(uri);
  }

  async setLogLevel(level: LogLevel, { handlerOf }: SubscribeOptions): Promise<void> {
    this.#level = level;
    await this.#wantLog(this.#core.upstreams.servers(), handlerOf);
  }

  expectPage(server: string, elicitationId: string): void {
    this.#pages.set(JSON.stringify([server, elicitationId]), true);
  }

  /** Idempotent. */
  end(): void {
    this.#server = undefined;
    for (const subscription of this.#following) subscription[Symbol.dispose]();
    this.#resources.end();
    this.#core.levels.forget(this);
    this.#core.held.endOf(this);
  }

  get #audience(): Audience {
    return this.#core.audiences.ofView(this.#view.current);
  }

  get #requestOwner(): unknown {
    return requestOwnerOf(this.#scope, { principal: this.#audience.principal, client: this });
  }

  async #wantLog(
    upstreams: readonly GatewayUpstream[],
    handlerOf: SubscribeOptions['handlerOf'] = () => this.#silent,
  ): Promise<void> {
    const level = this.#level;
    if (level === undefined && this.#server?.era !== 'legacy') return;
    const heard = upstreams.filter(({ name }) => maySeeLog(this.#audience.policy, name));
    await Promise.all(
      heard.map((upstream) => this.#core.levels.want(upstream, { who: this, level, handler: handlerOf(upstream) })),
    );
  }

  async #announceList(change: ListChange): Promise<void> {
    const { capability } = change;
    if (this.#server?.capabilities[capability] === undefined) return;
    if (await this.#core.isChanged(this.#audience, change)) this.#notify(`notifications/${capability}/list_changed`);
  }

  /** Notifies the client of new rights: lists and visible logs may differ. */
  #announceAccess(): void {
    for (const capability of ['resources', 'prompts'] as const) {
      if (this.#server?.capabilities[capability] === undefined) continue;
      this.#notify(`notifications/${capability}/list_changed`);
    }
    void this.#wantLog(this.#core.upstreams.servers());
  }

  #announcePage(server: string, elicitationId: string): void {
    if (!this.#pages.delete(JSON.stringify([server, elicitationId]))) return;
    this.#notify('notifications/elicitation/complete', { elicitationId });
  }

  /** A server with one set of roots for all clients is notified only for a single client. */
  rootsChanged(): void {
    if (this.#server?.clientCapabilities?.roots === undefined) return;
    const { tools, policy } = this.#audience;
    const used = new Set(peekTools(tools).map(({ server }) => server));
    for (const upstream of this.#core.upstreams.servers()) {
      if (upstream.session?.era !== 'modern' && !this.#core.clients.isOne) continue;
      if (!used.has(upstream.name) && !maySeeLog(policy, upstream.name)) continue;
      upstream.notifyRootsChanged?.().catch((cause: unknown) => {
        const message = `Server "${upstream.name}" was not notified of a change of a client's roots: ${messageOf(cause)}`;
        const problem = { server: upstream.name, reason: reasonOf(cause), message, cause };
        this.#core.policy.onProblem({ code: 'request-failed', ...problem });
      });
    }
  }

  #announceUpdate(server: string, uri: string): void {
    const wanted = this.#resources.wanted(server, uri);
    if (wanted.length === 0 || !this.#audience.policy({ kind: 'resource', server, uri }).isAllowed) return;
    this.#notify('notifications/resources/updated', { uri: this.#core.policy.names.uri(server, uri) });
  }

  /** Before revision 2026-07-28: later ones send log entries only as part of a request. */
  #forwardLog(entry: UpstreamEvent & UpstreamLogEntry): void {
    const { server, level, about } = entry;
    if (this.#server?.era !== 'legacy' || !isWanted(level, this.#level)) return;
    if (!maySeeLog(this.#audience.policy, server) || !isAbout(about, this.#requestOwner)) return;
    this.#tell(server, { method: 'notifications/message', params: this.#core.logMessages.of(entry) });
  }

  #tell(server: string, { method, params }: UpstreamNotification): void {
    const shown = interceptNotification(interceptorsOf(this.#audience.tools)?.parts, { method, server, params });
    if (shown !== undefined) this.#server?.notify(method, shown);
  }

  /** Later revisions lack the notification for tasks. */
  #forward(event: UpstreamEvent & UpstreamNotification): void {
    if (event.method === 'notifications/tasks/status' && this.#server?.era !== 'legacy') return;
    const notice = forwardedNotification(this.#core, event, { owner: this.#scope.owner, audience: this.#audience });
    if (notice !== undefined) this.#tell(event.server, notice);
  }

  /** Before revision 2026-07-28: later ones notify on streams that the client opens. */
  #notify(method: string, params?: Readonly<Record<string, unknown>>): void {
    if (this.#server?.era === 'legacy') this.#server.notify(method, params);
  }
}
