import {
  isSpecType,
  ProtocolError,
  ProtocolErrorCode,
  type ServerCapabilities,
  SUBSCRIPTION_ID_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
  type SubscriptionFilter,
} from '@modelcontextprotocol/server';
import { withResolvers } from '@x/internal/async';
import type { CallHandler } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { MODERN_REVISION } from './client-messages.js';
import type { ClientRequest, Era, Fields } from './client-request.js';
import type { ClientServer, MethodTable, Notify } from './client-server.js';

export const protocolMethods: MethodTable<ClientServer> = {
  initialize: {
    era: 'legacy',
    fault: (params) =>
      isSpecType.InitializeRequestParams(params) ? undefined : 'they do not match the schema of the protocol',
    answer: (server, params) => initialize(server, params as unknown as Initialization),
  },
  ping: { era: 'legacy', answer: () => ({}) },
  'server/discover': {
    era: 'modern',
    isCacheable: true,
    answer: (server) => ({ supportedVersions: [MODERN_REVISION], ...described(server) }),
  },
  'subscriptions/listen': {
    era: 'modern',
    fault: ({ notifications }) =>
      isSpecType.SubscriptionFilter(notifications) ? undefined : 'notifications must be a subscription filter',
    answer: listen,
  },
};

interface Initialization {
  readonly protocolVersion: string;
  readonly capabilities: Fields;
  readonly clientInfo: CallHandler['clientInfo'];
}

function initialize(server: ClientServer, params: Initialization): Fields {
  const { protocolVersion: requested, capabilities, clientInfo } = params;
  const [latest = requested] = SUPPORTED_PROTOCOL_VERSIONS;
  const revision = SUPPORTED_PROTOCOL_VERSIONS.includes(requested) ? requested : latest;
  server.clientCapabilities = capabilities;
  server.clientInfo = clientInfo;
  server.revision = revision;
  const { name, version } = server.introduction;
  return { protocolVersion: revision, serverInfo: { name, version }, ...described(server) };
}

function described({ capabilities, introduction: { instructions } }: ClientServer): Fields {
  return { capabilities, ...(instructions !== '' && { instructions }) };
}

/** Per connection. */
const MAX_STREAMS = 1_024;

/**
 * Handles `subscriptions/listen`: ends when the client cancels the request, when the server closes, or at once with
 * nothing to follow.
 */
async function listen(server: ClientServer, params: Fields, request: ClientRequest): Promise<Fields> {
  const { id, signal } = request;
  server.streams ??= new Map();
  const { streams } = server;
  if (streams.size >= MAX_STREAMS) {
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Subscription limit reached');
  }
  const wanted = honored(params.notifications as SubscriptionFilter, server);
  const notify: Notify = (method, about) => {
    const stamped = { ...about, ...streamMeta(id) };
    request.notify({ method, params: stamped }).catch(() => undefined); // fails only if the client is gone
  };
  notify('notifications/subscriptions/acknowledged', { notifications: wanted });
  if (Object.keys(wanted).length === 0) return streamMeta(id);
  const following = server.follow(wanted, notify);
  const { promise: ended, resolve } = withResolvers();
  // Frees the id at once: a client may reuse that of a cancelled request.
  const end = () => {
    streams.delete(id);
    resolve();
  };
  streams.set(id, end);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  await ended;
  following[Symbol.dispose]();
  return streamMeta(id);
}

function streamMeta(id: ClientRequest['id']): { readonly _meta: Fields } {
  return { _meta: { [SUBSCRIPTION_ID_META_KEY]: id } };
}

function honored(
  { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions = [] }: SubscriptionFilter,
  server: ClientServer,
): SubscriptionFilter {
  const { tools, prompts, resources }: ServerCapabilities = server.capabilities;
  const uris = resources?.subscribe === true ? server.fitting(resourceSubscriptions) : [];
  return {
    ...(toolsListChanged && tools?.listChanged && { toolsListChanged }),
    ...(promptsListChanged && prompts?.listChanged && { promptsListChanged }),
    ...(resourcesListChanged && resources?.listChanged && { resourcesListChanged }),
    ...(uris.length > 0 && { resourceSubscriptions: [...uris] }),
  };
}

export function cursorFault({ cursor }: Fields): string | undefined {
  return cursor === undefined || typeof cursor === 'string' ? undefined : 'cursor must be a string';
}

export function callFault({ name, arguments: args, task }: Fields, era: Era): string | undefined {
  if (typeof name !== 'string') return 'name must be a string';
  if (args !== undefined && !isRecord(args)) return 'arguments must be an object';
  if (task === undefined || era === 'modern') return undefined;
  const isTask = isRecord(task) && (task.ttl === undefined || typeof task.ttl === 'number');
  return isTask ? undefined : 'task must be an object whose ttl is a number';
}

export function promptFault({ name, arguments: args }: Fields): string | undefined {
  if (typeof name !== 'string') return 'name must be a string';
  const isTexts =
    args === undefined || (isRecord(args) && Object.values(args).every((each) => typeof each === 'string'));
  return isTexts ? undefined : 'arguments must be an object of strings';
}

export function uriFault({ uri }: Fields): string | undefined {
  return typeof uri === 'string' ? undefined : 'uri must be a string';
}
