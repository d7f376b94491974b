import {
  ProtocolError,
  ProtocolErrorCode,
  type ServerCapabilities,
  SUBSCRIPTION_ID_META_KEY,
  type SubscriptionFilter,
} from '@modelcontextprotocol/server';
import { withResolvers } from '@x/internal/async';
import type { ClientRequest, Fields } from './client-request.js';
import type { ClientServer, Notify } from './client-server.js';

/** Per connection. */
const MAX_STREAMS = 1_024;

/**
 * Handles `subscriptions/listen`: ends when the client cancels the request, when the server closes, or at once with
 * nothing to follow.
 */
export async function listen(server: ClientServer, params: Fields, request: ClientRequest): Promise<Fields> {
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
