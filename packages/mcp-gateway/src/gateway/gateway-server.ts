import { isSpecType, type ServerCapabilities, type SubscriptionFilter } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import { interceptedHandler, interceptorsOf } from '@x/internal/views';
import type { ClientView } from '../server/client-view.js';
import type { ClientRequest, Fields } from '../server/methods/client-request.js';
import { ClientServer, type MethodRow, type MethodTable, type Notify } from '../server/methods/client-server.js';
import { callFault, cursorFault, promptFault, uriFault } from '../server/methods/protocol-methods.js';
import { watchListing } from '../serving/tool-listing.js';
import { type Audience, showsAllTools } from './audiences.js';
import { silentHandler } from './bridging/server-requests.js';
import { capabilitiesOf, selfDescriptionOf } from './capabilities.js';
import { type ClientServices, servicesOf } from './client-services.js';
import { SkillRequests } from './extensions/skill-requests.js';
import { ForwardedRequests } from './forwarding/forwarded-requests.js';
import { type ConnectionState, type GatewayScope, requestOwnerOf, type SubscribeOptions } from './gateway-clients.js';
import type { GatewayCore } from './gateway-core.js';
import { isLogLevel } from './log-levels.js';
import type { PartKind } from './resources-and-prompts/part-kinds.js';
import { type CompletionParams, PartRequests } from './resources-and-prompts/part-requests.js';
import { ResourceSubscriptions, type SubscriberOptions } from './subscriptions/resource-subscriptions.js';
import { TASKS_EXTENSION } from './tasks/task-messages.js';
import { type ToolCallParams, ToolRequests } from './tools/tool-requests.js';
import type { LogLevel } from './upstream.js';

export class GatewayServer extends ClientServer {
  override readonly methods: MethodTable<this> = gatewayMethods;
  override readonly otherwise: MethodRow<this> = forward;
  readonly parts: ClientServices;
  /** Absent for a server of one request. */
  readonly wishes: ConnectionState | undefined;
  readonly #scope: GatewayScope;

  constructor(core: GatewayCore, held: ClientView, scope: GatewayScope, wishes?: ConnectionState) {
    const audience = core.audiences.ofView(held.current);
    const introduction = selfDescriptionOf(core, audience);
    const listHint = { ttlMs: introduction.listTtlMs, cacheScope: 'private' } as const;
    const declare = () => capabilitiesOf(core, { era: scope.era, audience });
    super(scope.era, { introduction, declare, listHint });
    this.#scope = scope;
    this.wishes = wishes;
    this.parts = servicesOf({
      core,
      held,
      scope,
      wishes,
      connection: this,
      capabilities: () => this.clientCapabilities,
      clientInfo: () => this.clientInfo,
    });
  }

  override fitting(uris: readonly string[]): readonly string[] {
    return this.parts.core.shares.fitting(this.#scope.owner, uris);
  }

  override follow(wanted: SubscriptionFilter, notify: Notify): Disposable {
    const { owner, isAnonymous } = this.#scope;
    const audience = this.parts.audience();
    const { principal } = audience;
    const client = this.wishes ?? principal ?? (isAnonymous ? this : owner);
    const silent = silentHandler(client, requestOwnerOf(this.#scope, { principal, client }));
    return followChanges(this.parts.core, audience, { wanted, notify, owner, silent });
  }

  override async receiveNotification(method: string, params: Fields): Promise<void> {
    if (method === 'notifications/roots/list_changed') this.wishes?.rootsChanged();
    // Revision 2026-07-28 has no such notification.
    else if (method !== 'notifications/tasks/status' || this.era === 'legacy') {
      await new ForwardedRequests(this.parts).forwardNotification(method, params);
    }
  }

  subscribeOptions(request: ClientRequest): SubscribeOptions {
    const { bridge, audience } = this.parts;
    const interceptors = interceptorsOf(audience().tools);
    return {
      signal: request.signal,
      handlerOf: (upstream) =>
        interceptedHandler(interceptors?.parts, upstream.name, bridge.handlerOf(request, upstream)),
    };
  }
}

const STREAM = 'stream';

interface FollowOptions extends SubscriberOptions {
  readonly wanted: SubscriptionFilter;
  readonly notify: Notify;
}

/** Notifies one stream of all changes that its audience may see. */
function followChanges(core: GatewayCore, audience: Audience, { wanted, notify, ...whose }: FollowOptions): Disposable {
  const resources = new ResourceSubscriptions(core, whose);
  const { toolsListChanged, resourceSubscriptions = [], ...wantedLists } = wanted;
  const listChanged = (capability: 'resources' | 'prompts') => {
    if (wantedLists[`${capability}ListChanged`]) notify(`notifications/${capability}/list_changed`);
  };
  const following = [
    audience.view.events.on('access-changed', () => {
      listChanged('resources');
      listChanged('prompts');
    }),
    core.lists.events.on('list-changed', async (change) => {
      if (await core.isChanged(audience, change)) listChanged(change.capability);
    }),
    core.upstreams.events.on('resource-updated', ({ server, uri }) => {
      if (!audience.policy({ kind: 'resource', server, uri }).isAllowed) return;
      for (const each of resources.wanted(server, uri)) notify('notifications/resources/updated', { uri: each });
    }),
  ];
  if (toolsListChanged) {
    const toolsChanged = () => notify('notifications/tools/list_changed');
    following.push(
      watchListing(audience.view, toolsChanged),
      core.upstreams.events.on('tools-relisted', ({ server }) => {
        if (showsAllTools(audience, server)) toolsChanged();
      }),
    );
  }
  resources.subscribeAll(STREAM, resourceSubscriptions, audience);
  return {
    [Symbol.dispose]: () => {
      for (const subscription of following) subscription[Symbol.dispose]();
      resources.end();
    },
  };
}

type Row = MethodRow<GatewayServer>;

const hasResources = ({ resources }: ServerCapabilities) => resources !== undefined;
const hasPrompts = ({ prompts }: ServerCapabilities) => prompts !== undefined;
/** An extension since revision 2026-07-28, part of the protocol before. */
const hasTasks = ({ extensions, tasks }: ServerCapabilities) =>
  extensions?.[TASKS_EXTENSION] !== undefined || isRecord(tasks);

const gatewayMethods: MethodTable<GatewayServer> = {
  'tools/list': {
    isCacheable: true,
    fault: cursorFault,
    answer: ({ parts, era, capabilities }, { cursor }) =>
      new ToolRequests(parts).list(cursor as string | undefined, { era, offered: capabilities.tasks }),
  },
  'tools/call': {
    fault: callFault,
    mayRequestInput: true,
    answer: ({ parts }, params, request) => new ToolRequests(parts).call(params as unknown as ToolCallParams, request),
  },
  'resources/list': listOf('resources', hasResources),
  'resources/templates/list': listOf('resourceTemplates', hasResources),
  'resources/read': {
    offered: hasResources,
    fault: uriFault,
    mayRequestInput: true,
    isCacheable: true,
    answer: ({ parts }, { uri }, request) => new PartRequests(parts).read(String(uri), request),
  },
  'resources/subscribe': { era: 'legacy', offered: hasResources, fault: uriFault, answer: subscribe },
  'resources/unsubscribe': {
    era: 'legacy',
    offered: hasResources,
    fault: uriFault,
    answer: ({ wishes }, { uri }) => {
      wishes?.unsubscribe(String(uri));
      return {};
    },
  },
  'prompts/list': listOf('prompts', hasPrompts),
  'prompts/get': {
    offered: hasPrompts,
    fault: promptFault,
    mayRequestInput: true,
    answer: ({ parts }, { name, arguments: args }, request) =>
      new PartRequests(parts).prompt({ name: String(name), args: args as Fields | undefined }, request),
  },
  'completion/complete': {
    offered: ({ completions }) => completions !== undefined,
    fault: (params) =>
      isSpecType.CompleteRequestParams(params) ? undefined : 'they do not match the schema of the protocol',
    answer: ({ parts }, params, request) =>
      new PartRequests(parts).complete(params as unknown as CompletionParams, request),
  },
  'logging/setLevel': {
    era: 'legacy',
    offered: ({ logging }) => logging !== undefined,
    fault: ({ level }) => (isLogLevel(level) ? undefined : 'level must be a level of syslog, such as warning'),
    answer: async (server, { level }, request) => {
      await server.wishes?.setLogLevel(level as LogLevel, server.subscribeOptions(request));
      return {};
    },
  },
  'skills/list': { isUnknown: true, isCacheable: true, fault: cursorFault, answer: skillRequest },
  'skills/get': { isUnknown: true, isCacheable: true, fault: uriFault, answer: skillRequest },
  'resources/directory/read': { isUnknown: true, isCacheable: true, fault: uriFault, answer: skillRequest },
  'tasks/get': { offered: hasTasks, answer: taskRequest },
  'tasks/result': { era: 'legacy', offered: hasTasks, answer: taskRequest },
  'tasks/list': { era: 'legacy', offered: ({ tasks }) => isRecord(tasks?.list), answer: taskRequest },
  'tasks/update': { era: 'modern', offered: hasTasks, answer: taskRequest },
  'tasks/cancel': {
    offered: (capabilities) => hasTasks(capabilities) && (capabilities.tasks ?? { cancel: {} }).cancel !== undefined,
    answer: taskRequest,
  },
};

const forward: Row = {
  isUnknown: true,
  answer: ({ parts }, params, request) => new ForwardedRequests(parts).forward(request.method, params, request),
};

function listOf(kind: PartKind, offered: (capabilities: ServerCapabilities) => boolean): Row {
  return {
    offered,
    isCacheable: true,
    fault: cursorFault,
    answer: ({ parts }, { cursor }) => new PartRequests(parts).list(kind, cursor as string | undefined),
  };
}

async function subscribe(server: GatewayServer, { uri }: Fields, request: ClientRequest): Promise<Fields> {
  return server.parts.answering.run(request, undefined, async () => {
    await server.wishes?.subscribe(String(uri), server.subscribeOptions(request));
    return {};
  });
}

function skillRequest({ parts }: GatewayServer, params: Fields, request: ClientRequest): Promise<Fields> {
  return new SkillRequests(parts).answer(params, request);
}

function taskRequest({ parts }: GatewayServer, params: Fields, request: ClientRequest): Promise<Fields> {
  return new ForwardedRequests(parts).taskRequest(request.method, params, request);
}
