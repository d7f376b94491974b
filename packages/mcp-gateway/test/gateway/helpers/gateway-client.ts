import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import type { ViewOptions } from '@x/internal/views';
import * as z from 'zod';
import type { Gateway } from '../../../src/gateway/gateway.js';
import { toNodeListener } from '../../../src/index.js';
import { serveOnLoopback } from '../../helpers/serve-on-loopback.js';

// biome-ignore lint/suspicious/noExplicitAny: two libraries' types of one thing, looked at by matchers alone
type Loose = any;

export interface ClientRequestOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: unknown) => void;
}

/** What clients of both generations can do, without their conveniences. */
export interface GatewayClient extends AsyncDisposable {
  request(method: string, params?: Record<string, unknown>, options?: ClientRequestOptions): Promise<Loose>;
  /** Subscribes to resources, in the revision’s own way, until the result is disposed. */
  subscribe(...uris: readonly string[]): Promise<() => Promise<void>>;
  /** The first notification of this method that has not been taken yet. */
  next(method: string): Promise<Loose>;
  /** Those that have come and were not taken. */
  readonly untaken: readonly { readonly method: string; readonly params: Loose }[];
  readonly info: { readonly version: Loose; readonly instructions: string | undefined; readonly capabilities: Loose };
}

export interface GatewayWay {
  readonly name: string;
  readonly era: 'modern' | 'legacy';
  /** What the client says of a resource that there is not. Those of 2.x read the code of earlier revisions as the later. */
  readonly notFound: number;
  connect(gateway: Gateway, audience?: ViewOptions): Promise<GatewayClient>;
}

const info = { name: 'test', version: '1.0.0' };
const TOKEN = 'the-token-of-this-test';

export const gatewayWays: readonly GatewayWay[] = [
  { name: 'stdio, modern client 2.x', era: 'modern', notFound: -32_602, connect: stdio('modern') },
  { name: 'stdio, legacy client 2.x', era: 'legacy', notFound: -32_602, connect: stdio('legacy') },
  { name: 'stdio, client 1.x', era: 'legacy', notFound: -32_002, connect: stdio('v1') },
  { name: 'HTTP, modern client 2.x', era: 'modern', notFound: -32_602, connect: http('modern') },
  { name: 'HTTP, legacy client 2.x', era: 'legacy', notFound: -32_602, connect: http('legacy') },
  { name: 'HTTP, client 1.x', era: 'legacy', notFound: -32_002, connect: http('v1') },
];

type Kind = 'modern' | 'legacy' | 'v1';

function stdio(kind: Kind): GatewayWay['connect'] {
  return async (gateway, audience) => {
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    const serving = gateway.serve({ ...audience, transport: serverSide });
    return connect(kind, clientSide, serving);
  };
}

function http(kind: Kind): GatewayWay['connect'] {
  return async (gateway, audience = {}) => {
    const handler = gateway.handler({ token: TOKEN }, () => audience);
    const server = await serveOnLoopback(toNodeListener(handler));
    const options = { requestInit: { headers: { Authorization: `Bearer ${TOKEN}` } } };
    const transport = kind === 'v1' ? new HttpV1(server.url, options) : new HttpV2(server.url, options);
    return connect(kind, transport, handler, server);
  };
}

async function connect(kind: Kind, transport: unknown, ...opened: readonly AsyncDisposable[]): Promise<GatewayClient> {
  const inbox = createInbox();
  const client = kind === 'v1' ? new ClientV1(info) : newClientV2(kind);
  client.fallbackNotificationHandler = async ({ method, params }: Loose) => inbox.add(method, params);
  await client.connect(transport as never);
  const loose = client as Loose;
  const lists =
    kind === 'modern'
      ? await loose.listen({ toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true })
      : undefined;
  const request: GatewayClient['request'] = (method, params = {}, options = {}) =>
    kind === 'v1'
      ? loose.request({ method, params }, z.looseObject({}), options)
      : loose.request({ method, params }, options);
  return {
    request,
    next: inbox.next,
    untaken: inbox.untaken,
    info: {
      version: client.getServerVersion(),
      instructions: client.getInstructions(),
      capabilities: client.getServerCapabilities(),
    },
    subscribe: async (...uris) => {
      if (kind === 'modern') {
        const stream = await loose.listen({ resourceSubscriptions: uris });
        return () => stream.close();
      }
      for (const uri of uris) await request('resources/subscribe', { uri });
      return async () => {
        for (const uri of uris) await request('resources/unsubscribe', { uri });
      };
    },
    [Symbol.asyncDispose]: async () => {
      await lists?.close();
      await client.close();
      for (const each of opened) await each[Symbol.asyncDispose]();
    },
  };
}

function newClientV2(era: 'modern' | 'legacy'): ClientV2 {
  return new ClientV2(info, { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } });
}

function createInbox() {
  const untaken: { method: string; params: Loose }[] = [];
  const waiting = new Map<string, ((params: Loose) => void)[]>();
  return {
    untaken,
    add: (method: string, params: Loose) => {
      const next = waiting.get(method)?.shift();
      if (next === undefined) untaken.push({ method, params });
      else next(params);
    },
    next: (method: string): Promise<Loose> => {
      const index = untaken.findIndex((notification) => notification.method === method);
      if (index !== -1) return Promise.resolve(untaken.splice(index, 1)[0]?.params);
      return new Promise((resolve) => waiting.set(method, [...(waiting.get(method) ?? []), resolve]));
    },
  };
}
