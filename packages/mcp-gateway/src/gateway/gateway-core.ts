import { messageOf } from '@x/internal/errors';
import type { RolePolicy } from '../registry.js';
import { type Audience, Audiences } from './audiences.js';
import { HeldCalls } from './bridging/held-calls.js';
import { appServers, linksTo } from './extensions/app-names.js';
import type { GatewayClients } from './gateway-clients.js';
import type { GatewayPolicy } from './gateway-options.js';
import { type LogLevels, LogMessages } from './log-levels.js';
import type { LoopDetector } from './loop-detector.js';
import { fromGatewayUri } from './naming/gateway-names.js';
import {
  type Collision,
  explainCollision,
  type NameOwner,
  type NameOwners,
  onlyOf,
  readName,
} from './naming/name-owners.js';
import { type Owned, ownerByTemplate, serversByTemplate } from './naming/template-owners.js';
import { RateLimits } from './rate-limits.js';
import { ListChanges } from './resources-and-prompts/list-changes.js';
import {
  type GatewayListing,
  type ListedServer,
  type MergedParts,
  mergeParts,
  visibleParts,
} from './resources-and-prompts/merged-list.js';
import { mayUseAllParts, type PartKind, partKinds } from './resources-and-prompts/part-kinds.js';
import type { ListReading } from './resources-and-prompts/upstream-list.js';
import { type ListChange, UpstreamLists } from './resources-and-prompts/upstream-lists.js';
import { SharedUpstreams } from './shared-upstreams.js';
import { MAX_URI_LENGTH, SubscriptionShares, type Subscriptions } from './subscriptions/upstream-subscriptions.js';
import { TaskLedger } from './tasks/task-ledger.js';
import { ToolCollisions } from './tools/named-tools.js';
import type { GatewayUpstream, GatewayUpstreams, ReportProblem } from './upstream.js';

/** A resource, template or prompt, by its server's own name. */
export interface Routed {
  readonly upstream: GatewayUpstream;
  readonly key: string;
}

/** Resources, templates, prompts or tools of several servers that have the same name for clients. */
export interface NamedCollision extends Collision {
  readonly kind: 'tools' | 'resources' | 'resourceTemplates' | 'prompts';
}

/** Remembered collisions: servers may list names without end. */
const MAX_REPORTED = 10_000;

/** Offers of all servers, and the server of each name, for all connections of a gateway. */
export class GatewayCore {
  readonly policy: GatewayPolicy;
  readonly upstreams: GatewayUpstreams;
  readonly audiences: Audiences;
  readonly lists: UpstreamLists;
  readonly clients: GatewayClients;
  readonly subscriptions: Subscriptions;
  readonly shares = new SubscriptionShares();
  readonly rates: RateLimits;
  readonly levels: LogLevels;
  readonly logMessages: LogMessages;
  readonly tasks = new TaskLedger();
  readonly path: LoopDetector;
  readonly held: HeldCalls;
  /** Only with `as-is` names. */
  readonly toolCollisions: ToolCollisions | undefined;
  readonly #changes: ListChanges;
  readonly #connected: Disposable;
  readonly #leave: () => void;
  readonly #reported = new Set<string>();

  constructor(policy: GatewayPolicy) {
    const { onProblem } = policy;
    this.policy = policy;
    this.upstreams = policy.upstreams;
    const report: ReportProblem = (problem) => onProblem(problem); // several gateways may have one function
    const shared = SharedUpstreams.join(policy.upstreams, report);
    this.#leave = () => shared.leave(report);
    this.clients = shared.clients;
    this.subscriptions = shared.subscriptions;
    this.levels = shared.levels;
    this.path = shared.path;
    this.audiences = new Audiences(policy, (server, cause) => this.#reportUnlisted(server, cause));
    this.lists = new UpstreamLists(policy.upstreams, { limitMs: policy.listTimeoutMs, onProblem });
    this.#changes = new ListChanges((kind, server) => this.lists.readOne(kind, server));
    this.rates = new RateLimits(policy.rateLimits);
    this.logMessages = new LogMessages(policy.names);
    this.held = new HeldCalls(policy.input);
    this.toolCollisions =
      policy.names.mode === 'as-is'
        ? new ToolCollisions(this.audiences.of({}), (collision) => this.#notifyCollision(collision))
        : undefined;
    this.#connected = this.lists.events.on('connected', ({ upstream }) => void this.levels.apply(upstream));
  }

  #reportUnlisted(server: string, cause: unknown): string {
    const upstream = this.upstreams.servers().find(({ name }) => name === server);
    const reason = upstream?.session === undefined ? 'not-running' : 'failed';
    const message = `Server "${server}" has not listed its tools: ${messageOf(cause)}`;
    this.policy.onProblem({ code: 'request-failed', server, reason, message, cause });
    return reason;
  }

  async list(kind: PartKind, audience: Audience, options?: { readonly isNextPage?: boolean }): Promise<GatewayListing> {
    const reading = this.lists.read(kind, options);
    const alsoOf = this.policy.names.mode === 'prefixed' ? undefined : await this.#claimsBeside(kind, audience);
    const readings = await reading;
    const { policy } = audience;
    const listed = readings.map(({ upstream, items }) => ({ server: upstream.name, items }));
    const merged = this.#merge(kind, audience, listed, alsoOf);
    for (const collision of merged.collisions) this.#reportCollision(collision);
    const missing = readings.flatMap(({ upstream: { name: server }, items, missing: reason }) =>
      reason !== undefined && this.#mayKnowOf(policy, kind, server, items) ? [{ server, reason }] : [],
    );
    return { ...merged, missing };
  }

  #merge(
    kind: PartKind,
    { policy, names: { [kind]: owners } }: Audience,
    listed: readonly ListedServer[],
    alsoOf?: (name: string) => readonly string[],
  ): MergedParts {
    const { names } = this.policy;
    const memory = names.mode === 'as-is' ? { owners, alsoOf } : {};
    return mergeParts(listed, { kind, names, policy, ...memory });
  }

  /** Finds servers that may have a name without listing it: by a template, or because it was read from them. */
  async #claimsBeside(kind: PartKind, audience: Audience): Promise<((name: string) => readonly string[]) | undefined> {
    const { reads, resourceTemplates } = audience.names;
    if (kind === 'resourceTemplates') return serversByTemplate(ownedBy(resourceTemplates));
    if (kind !== 'resources') return undefined;
    const isAlone = this.upstreams.servers().length === 1;
    const templates = isAlone ? undefined : await this.list('resourceTemplates', audience, { isNextPage: true });
    const byTemplate = serversByTemplate(templates?.parts ?? []);
    return (uri) => {
      const reader = reads.ownerOf(readName(uri));
      return [...byTemplate(uri), ...(typeof reader === 'string' ? [reader] : [])];
    };
  }

  usedBy(audience: Audience): readonly GatewayUpstream[] {
    return this.upstreams.servers().filter(({ name }) => audience.uses(name));
  }

  /** Returns `undefined` if the audience may not use it. */
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

  /**
   * Finds a resource that an app reads by its server's own URI. Only servers with apps count, and a URI stays that of its
   * first server.
   */
  async findAppResource(uri: string, audience: Audience): Promise<Routed | undefined> {
    if (this.policy.names.mode === 'as-is') return undefined;
    const servers = appServers(audience);
    if (servers.size === 0) return undefined;
    const isOfApp = ({ server }: Owned) => servers.has(server);
    const [resources, templates] = await Promise.all(
      (['resources', 'resourceTemplates'] as const).map((kind) => this.list(kind, audience, { isNextPage: true })),
    );
    const listed =
      resources?.parts.filter((part) => part.key === uri && isOfApp(part)).map(({ server }) => server) ?? [];
    const linked = Array.from(servers).filter((server) => linksTo(audience, { server, uri }));
    const claimants = [...new Set([...listed, ...linked])];
    const byTemplate = ownerByTemplate(uri, templates?.parts.filter(isOfApp) ?? []);
    const found = claimants.length === 0 ? byTemplate : onlyOf(claimants);
    const upstream = this.upstreams.servers().find(({ name }) => name === found);
    if (upstream === undefined || !this.#isAllowed(audience.policy, upstream, uri)) return undefined;
    const { appReads } = audience.names;
    const owner = appReads.award(readName(uri), [upstream.name]);
    appReads.trim();
    return owner === upstream.name ? { upstream, key: uri } : undefined;
  }

  /** Records the server of a read, so that the URI stays that server's. Does nothing with `prefixed` names. */
  recordRead({ names: { reads } }: Audience, { upstream, key }: Routed): void {
    if (this.policy.names.mode === 'prefixed') return;
    reads.award(readName(key), [upstream.name]);
    reads.trim();
  }

  /** Requests the servers' lists if the name is unknown. */
  async findPrompt(name: string, audience: Audience): Promise<Routed | undefined> {
    const known = this.upstreams.servers().map(({ name: server }) => ({
      server,
      items: this.lists.known('prompts', server),
    }));
    const merged = this.#merge('prompts', audience, known);
    const isKnown = (parts: MergedParts) => parts.parts.find((part) => part.name === name);
    const part = isKnown(merged) ?? isKnown(await this.list('prompts', audience));
    const upstream = this.upstreams.servers().find((server) => server.name === part?.server);
    return part && upstream && { upstream, key: part.key };
  }

  isChanged({ policy }: Audience, change: ListChange): Promise<boolean> {
    return this.#changes.isFor(policy, change);
  }

  /** Returns the names that are not served because several servers use them. */
  async collisions(): Promise<readonly NamedCollision[]> {
    const all = this.audiences.of({});
    const ofTools = this.toolCollisions?.current() ?? [];
    const ofParts = await Promise.all(
      partKinds.map(async (kind) =>
        (await this.list(kind, all)).collisions.map((collision) => ({ kind, ...collision })),
      ),
    );
    return [...ofTools.map((collision) => ({ kind: 'tools' as const, ...collision })), ...ofParts.flat()];
  }

  close(): void {
    this.#connected[Symbol.dispose]();
    this.toolCollisions?.close();
    this.lists.close();
    this.#leave();
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
   * Finds the server of a URI without a prefix: its owner, the server that lists it alone, the one with the longest
   * matching template, or the only one with resources.
   */
  async #ownerOf(uri: string, audience: Audience): Promise<string | undefined> {
    const candidates = this.usedBy(audience).filter(
      ({ session }) => session === undefined || session.capabilities.resources !== undefined,
    );
    const { resources: listers, reads } = audience.names;
    const owner = listers.ownerOf(uri) ?? reads.ownerOf(readName(uri)) ?? ownerOfSkill(uri, listers);
    if (owner !== undefined) return candidates.find(({ name }) => name === owner)?.name;
    const [only, ...others] = candidates;
    if (others.length === 0) return only?.name;
    const resources = await this.list('resources', audience, { isNextPage: true });
    const listed = resources.parts.find(({ key }) => key === uri);
    if (listed !== undefined) return listed.server;
    if (resources.collisions.some(({ name }) => name === uri)) return undefined;
    const templates = await this.list('resourceTemplates', audience, { isNextPage: true });
    return ownerByTemplate(uri, templates.parts);
  }

  #reportCollision(collision: Collision): void {
    const key = JSON.stringify(collision);
    if (this.#reported.has(key)) return;
    if (this.#reported.size >= MAX_REPORTED) this.#reported.clear();
    this.#reported.add(key);
    this.#notifyCollision(collision);
  }

  #notifyCollision(collision: Collision): void {
    const message = explainCollision(collision);
    const [server = ''] = collision.servers;
    this.policy.onProblem({ code: 'name-collision', server, reason: 'name-collision', message });
  }
}

function ownedBy(owners: NameOwners): readonly Owned[] {
  return Array.from(owners.entries()).flatMap(([key, server]) => (typeof server === 'string' ? [{ server, key }] : []));
}

/** A file of a skill belongs to the owner of its `SKILL.md`, in its folder or one above. */
function ownerOfSkill(uri: string, owners: NameOwners): NameOwner | undefined {
  if (!uri.startsWith('skill://') || uri.length > MAX_URI_LENGTH) return undefined;
  for (let end = uri.length; end > 'skill://'.length; end = uri.lastIndexOf('/', end - 1)) {
    const owner = owners.ownerOf(`${uri.slice(0, end)}/SKILL.md`);
    if (owner !== undefined) return owner;
  }
  return undefined;
}
