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

/** Of one connection. */
const MAX_STREAMS = 1_024;

/**
 * Handles `subscriptions/listen`: acknowledges what the stream follows, and lasts until the client cancels the request
 * or the server closes. A stream with nothing to follow ends at once.
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
    request.notify({ method, params: stamped }).catch(() => undefined); // gone with the client
  };
  notify('notifications/subscriptions/acknowledged', { notifications: wanted });
  if (Object.keys(wanted).length === 0) return streamMeta(id);
  const following = server.follow(wanted, notify);
  const { promise: ended, resolve } = withResolvers();
  // At once, because a client may use the id of a cancelled request again.
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

/** A stream of changes is identified by the request that opened it. */
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
