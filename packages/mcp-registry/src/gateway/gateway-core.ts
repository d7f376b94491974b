import type { RolePolicy } from '../roles/compile-role.js';
import { type Audience, Audiences } from './audiences.js';
import { HeldCalls } from './bridging/held-calls.js';
import { GatewayClients } from './gateway-clients.js';
import type { GatewayPolicy } from './gateway-options.js';
import { RateLimits } from './limits/rate-limits.js';
import { LogLevels } from './log-levels.js';
import { fromGatewayUri } from './naming/resource-uris.js';
import { ListChanges } from './parts/list-changes.js';
import { type Collision, type MergedParts, mergeParts, visibleParts } from './parts/merge-parts.js';
import { mayUseAllParts, type PartKind, partKinds } from './parts/part-kinds.js';
import { contestedResources, ownerByTemplate } from './parts/template-owners.js';
import type { ListReading } from './parts/upstream-list.js';
import { type ListChange, UpstreamLists } from './parts/upstream-lists.js';
import { LogMessages } from './passing-on/log-messages.js';
import { SubscriptionShares } from './subscriptions/subscription-shares.js';
import { Subscriptions } from './subscriptions/subscriptions.js';
import { TaskLedger } from './tasks/task-ledger.js';
import { ToolCollisions } from './tools/tool-collisions.js';
import type { GatewayUpstream, GatewayUpstreams } from './upstream.js';

/** Something of one server's, under the server's own name for it. */
export interface Routed {
  readonly upstream: GatewayUpstream;
  readonly key: string;
}

export interface MissingList {
  readonly server: string;
  readonly reason: string;
}

/** Things of one kind that would have the same name for clients, and whose they are. */
export interface NamedCollision extends Collision {
  readonly kind: 'tools' | 'resources' | 'resourceTemplates' | 'prompts';
}

export interface GatewayListing extends MergedParts {
  /** Servers whose list is not all here, as far as whoever asks may know of them. */
  readonly missing: readonly MissingList[];
}

/** Servers may name things without end. */
const MAX_REPORTED = 10_000;

/** What all connections of one gateway share: what servers offer, and which server a name means. */
export class GatewayCore {
  readonly policy: GatewayPolicy;
  readonly upstreams: GatewayUpstreams;
  readonly audiences: Audiences;
  readonly lists: UpstreamLists;
  readonly clients = new GatewayClients();
  readonly subscriptions: Subscriptions;
  readonly shares = new SubscriptionShares();
  readonly rates: RateLimits;
  readonly levels: LogLevels;
  readonly logMessages: LogMessages;
  readonly tasks = new TaskLedger();
  /** Calls that wait for their clients to come back. */
  readonly held: HeldCalls;
  /** Where names are as they are. */
  readonly toolCollisions: ToolCollisions | undefined;
  readonly #changes: ListChanges;
  readonly #connected: Disposable;
  readonly #reported = new Set<string>();

  constructor(policy: GatewayPolicy) {
    const { onProblem } = policy;
    this.policy = policy;
    this.upstreams = policy.upstreams;
    this.audiences = new Audiences(policy.registry, policy.names, policy.surface);
    this.lists = new UpstreamLists(policy.upstreams, { limitMs: policy.listTimeoutMs, onProblem });
    this.#changes = new ListChanges((kind, server) => this.lists.readOne(kind, server));
    this.subscriptions = new Subscriptions(onProblem);
    this.rates = new RateLimits(policy.rateLimits);
    this.levels = new LogLevels(onProblem);
    this.logMessages = new LogMessages(policy.names);
    this.held = new HeldCalls(policy.input);
    this.toolCollisions =
      policy.names.mode === 'as-is'
        ? new ToolCollisions(this.audiences.of({}).tools, (collision) => this.#tellOf(collision))
        : undefined;
    this.#connected = this.lists.events.on('connected', ({ upstream }) => void this.levels.apply(upstream));
  }

  async list(kind: PartKind, policy: RolePolicy, options?: { readonly isNextPage?: boolean }): Promise<GatewayListing> {
    if (kind !== 'resources' || this.policy.names.mode === 'prefixed') return this.#list(kind, policy, options);
    const [resources, templates] = await Promise.all([
      this.#list(kind, policy, options),
      this.upstreams.servers().length > 1 ? this.#list('resourceTemplates', policy, { isNextPage: true }) : undefined,
    ]);
    const contested = contestedResources(resources.parts, templates?.parts ?? []);
    if (contested.length === 0) return resources;
    for (const { name, servers } of contested) this.#reportCollision(name, servers);
    const names = new Set(contested.map(({ name }) => name));
    return {
      ...resources,
      parts: resources.parts.filter(({ name }) => !names.has(name)),
      collisions: [...resources.collisions, ...contested],
    };
  }

  async #list(kind: PartKind, policy: RolePolicy, options?: { readonly isNextPage?: boolean }) {
    const readings = await this.lists.read(kind, options);
    const listed = readings.map(({ upstream, items }) => ({ server: upstream.name, items }));
    const merged = mergeParts(listed, { kind, names: this.policy.names, policy });
    for (const { name, servers } of merged.collisions) this.#reportCollision(name, servers);
    const missing = readings.flatMap(({ upstream: { name: server }, items, missing: reason }) =>
      reason !== undefined && this.#mayKnowOf(policy, kind, server, items) ? [{ server, reason }] : [],
    );
    return { ...merged, missing };
  }

  /** The servers that an audience may know of. */
  usedBy(audience: Audience): readonly GatewayUpstream[] {
    return this.upstreams.servers().filter(({ name }) => audience.uses(name));
  }

  /** The server that a resource, or a template of them, is of; `undefined` if nobody has it or it may not be used. */
  async findResource(uri: string, audience: Audience): Promise<Routed | undefined> {
    const upstreams = this.upstreams.servers();
    const found =
      this.policy.names.mode === 'prefixed'
        ? fromGatewayUri(
            uri,
            upstreams.map(({ name }) => name),
          )
        : { server: await this.#ownerOf(uri, audience), uri };
    const upstream = upstreams.find(({ name }) => name === found?.server);
    if (found === undefined || upstream === undefined) return undefined;
    return this.#isAllowed(audience.policy, upstream, found.uri) ? { upstream, key: found.uri } : undefined;
  }

  /** Asks the servers for their prompts if the name is none that is known. */
  async findPrompt(name: string, policy: RolePolicy): Promise<Routed | undefined> {
    const known = this.upstreams.servers().map(({ name: server }) => ({
      server,
      items: this.lists.known('prompts', server),
    }));
    const merged = mergeParts(known, { kind: 'prompts', names: this.policy.names, policy });
    const isKnown = (parts: MergedParts) => parts.parts.find((part) => part.name === name);
    const part = isKnown(merged) ?? isKnown(await this.list('prompts', policy));
    const upstream = this.upstreams.servers().find((server) => server.name === part?.server);
    return part && upstream && { upstream, key: part.key };
  }

  /** Whether what somebody may use is something else now. */
  isChanged({ policy }: Audience, change: ListChange): Promise<boolean> {
    return this.#changes.isFor(policy, change);
  }

  /**
   * Names that are not served because several servers use them, of everything that is offered right now. With prefixes
   * there are none but by a freak of the digests.
   */
  async collisions(): Promise<readonly NamedCollision[]> {
    const { policy } = this.audiences.of({});
    const ofTools = this.toolCollisions?.ask() ?? [];
    const ofParts = await Promise.all(
      partKinds.map(async (kind) =>
        (await this.list(kind, policy)).collisions.map((collision) => ({ kind, ...collision })),
      ),
    );
    return [...ofTools.map((collision) => ({ kind: 'tools' as const, ...collision })), ...ofParts.flat()];
  }

  close(): void {
    this.#connected[Symbol.dispose]();
    this.toolCollisions?.close();
    this.lists.close();
    this.subscriptions.close();
    this.held.close();
  }

  #isAllowed(policy: RolePolicy, { name: server }: GatewayUpstream, uri: string): boolean {
    return policy({ kind: 'resource', server, uri }).isAllowed;
  }

  #mayKnowOf(policy: RolePolicy, kind: PartKind, server: string, items: ListReading['items']) {
    if (mayUseAllParts(policy, kind, server)) return true;
    return visibleParts({ server, items }, { kind, names: this.policy.names, policy }).length > 0;
  }

  /**
   * Without a prefix: who lists it where nobody else has a template for it, or has the template that begins like it the
   * longest, or is the only one with any.
   */
  async #ownerOf(uri: string, audience: Audience): Promise<string | undefined> {
    const { policy } = audience;
    const candidates = this.usedBy(audience).filter(
      ({ session }) => session === undefined || session.capabilities.resources !== undefined,
    );
    const [only, ...others] = candidates;
    if (others.length === 0) return only?.name;
    const resources = await this.list('resources', policy, { isNextPage: true });
    if (resources.collisions.some(({ name }) => name === uri)) return undefined;
    const listed = resources.parts.find(({ key }) => key === uri);
    if (listed !== undefined) return listed.server;
    const templates = await this.list('resourceTemplates', policy, { isNextPage: true });
    return ownerByTemplate(uri, templates.parts);
  }

  #reportCollision(name: string, servers: readonly string[]): void {
    const key = JSON.stringify([name, ...servers]);
    if (this.#reported.has(key)) return;
    if (this.#reported.size >= MAX_REPORTED) this.#reported.clear();
    this.#reported.add(key);
    this.#tellOf({ name, servers });
  }

  #tellOf({ name, servers }: Collision): void {
    const message = `${JSON.stringify(name)} is not served, because several servers have it: ${servers.join(', ')}`;
    this.policy.onProblem({ code: 'name-collision', server: servers[0] ?? '', reason: 'name-collision', message });
  }
}
