import { Client, type VersionNegotiationOptions } from '@modelcontextprotocol/client';
import { isRecord } from '@x/internal/json';
import { asItIs } from '../redaction.js';
import { HostRequests } from './host-requests.js';
import { NotificationDesk } from './notification-desk.js';
import type { OpenSessionOptions } from './open-session-options.js';
import { ProgressListeners } from './progress-listeners.js';

/** An SDK client that is ready to connect: what a server may ask or tell from its first moment on has its place. */
export interface PreparedClient {
  readonly client: Client;
  readonly host: HostRequests;
  readonly notifications: NotificationDesk;
  readonly progress: ProgressListeners;
}

export function prepareClient(
  { clientInfo, server, handlers, capabilities, listeners, redact = asItIs }: OpenSessionOptions,
  versionNegotiation: VersionNegotiationOptions,
): PreparedClient {
  const host = new HostRequests(handlers, { server, redact, capabilities });
  const progress = new ProgressListeners();
  const notifications = new NotificationDesk({ listeners, progress, host });
  const client = new Client({ ...clientInfo }, { capabilities: host.capabilities, versionNegotiation });
  host.register(client);
  // What comes with the answer to the handshake, before the session has taken over.
  client.fallbackNotificationHandler = async ({ method, params }) => {
    notifications.take(method, isRecord(params) ? params : {});
  };
  return { client, host, notifications, progress };
}
