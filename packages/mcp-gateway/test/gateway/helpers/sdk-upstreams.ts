import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, type McpServer, type Server } from '@modelcontextprotocol/server';
import type { ToolSource } from '@x/internal/contracts';
import { Emitter } from '@x/internal/events';
import type { Registry } from '@x/mcp-registry';
import type {
  GatewayUpstream,
  GatewayUpstreams,
  UpstreamEvent,
  UpstreamListing,
  UpstreamLogEntry,
  UpstreamResult,
  UpstreamSession,
} from '../../../src/gateway/upstream.js';

interface Events {
  'tools-relisted': UpstreamEvent;
  'resources-changed': UpstreamEvent;
  'prompts-changed': UpstreamEvent;
  'resource-updated': UpstreamEvent & { readonly uri: string };
  'server-log': UpstreamEvent & UpstreamLogEntry;
  'server-state': UpstreamEvent;
  'servers-changed': undefined;
}

/** Real servers behind real clients of the official library, connected in memory. */
export interface SdkUpstreams extends GatewayUpstreams, AsyncDisposable {
  readonly emitter: Emitter<Events>;
  add(upstream: GatewayUpstream): void;
  remove(name: string): void;
}

export async function openSdkUpstreams(
  registry: Registry,
  servers: Readonly<Record<string, McpServer | Server>>,
): Promise<SdkUpstreams> {
  const emitter = new Emitter<Events>();
  const clients: Client[] = [];
  const upstreams: GatewayUpstream[] = [];
  for (const [name, server] of Object.entries(servers)) {
    const client = new Client({ name: 'gateway-test', version: '1.0.0' });
    clients.push(client);
    follow(client, name, emitter);
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    await server.connect(serverSide);
    await client.connect(clientSide as never);
    upstreams.push(toUpstream(client, name));
    if (client.getServerCapabilities()?.tools) await registry.attach(await toSource(client, name)).ready;
  }
  return {
    emitter,
    events: emitter as unknown as GatewayUpstreams['events'],
    servers: () => upstreams,
    add: (upstream) => {
      upstreams.push(upstream);
      emitter.emit('servers-changed', undefined);
    },
    remove: (name) => {
      upstreams.splice(
        upstreams.findIndex((upstream) => upstream.name === name),
        1,
      );
      emitter.emit('servers-changed', undefined);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

function follow(client: Client, server: string, emitter: Emitter<Events>): void {
  client.setNotificationHandler('notifications/resources/list_changed', () =>
    emitter.emit('resources-changed', { server }),
  );
  client.setNotificationHandler('notifications/prompts/list_changed', () =>
    emitter.emit('prompts-changed', { server }),
  );
  client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) =>
    emitter.emit('resource-updated', { server, uri }),
  );
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) =>
    emitter.emit('server-log', { server, level, logger, data }),
  );
}

function toUpstream(client: Client, name: string): GatewayUpstream {
  const session = {
    capabilities: client.getServerCapabilities() ?? {},
    serverInfo: client.getServerVersion(),
    instructions: client.getInstructions(),
  } as UpstreamSession;
  const request: GatewayUpstream['request'] = async (method, params, { meta, signal, onProgress }) =>
    (await client.request({ method: method as 'ping', params: { ...params, ...(meta && { _meta: meta }) } }, {
      ...(signal && { signal }),
      ...(onProgress && { onprogress: onProgress }),
    } as never)) as UpstreamResult;
  const list = async (method: string, key: string): Promise<UpstreamListing<UpstreamResult>> => {
    const result = await request(method, {}, {});
    return { items: result[key] as UpstreamResult[], completeness: 'complete', problems: [] };
  };
  return {
    name,
    state: 'running',
    session,
    request,
    listResources: () => list('resources/list', 'resources'),
    listResourceTemplates: () => list('resources/templates/list', 'resourceTemplates'),
    listPrompts: () => list('prompts/list', 'prompts'),
    subscribeResource: async (uri) => void (await request('resources/subscribe', { uri }, {})),
    unsubscribeResource: async (uri) => void (await request('resources/unsubscribe', { uri }, {})),
    setLogLevel: async (level) => void (await request('logging/setLevel', { level }, {})),
  };
}

async function toSource(client: Client, name: string): Promise<ToolSource> {
  const { tools } = await client.listTools();
  return {
    name,
    instructions: client.getInstructions(),
    listTools: () => tools as never,
    callTool: async (tool, args, { signal, onProgress }) =>
      (await client.callTool({ name: tool, arguments: { ...args } }, {
        ...(signal && { signal }),
        ...(onProgress && { onprogress: onProgress }),
      } as never)) as never,
  };
}
