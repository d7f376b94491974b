import type {
  GatewayUpstream,
  GatewayUpstreams,
  UpstreamEntry,
  UpstreamListing,
  UpstreamSession,
} from '../../../src/gateway/upstream.js';

/** Servers without events. */
export function silentUpstreams(...servers: readonly GatewayUpstream[]): GatewayUpstreams {
  return { servers: () => servers, events: { on: () => ({ [Symbol.dispose]() {} }) } };
}

/** A server that does what a test says. */
export interface PlainUpstream extends GatewayUpstream {
  session: UpstreamSession | undefined;
  state: 'running' | 'stopped' | 'starting' | 'degraded';
  /** What the next listings of resources do. */
  list: (options: {
    signal?: AbortSignal | undefined;
    wake?: boolean | undefined;
  }) => Promise<UpstreamListing<UpstreamEntry>>;
  readonly listings: { readonly wake: boolean | undefined }[];
}

export function complete(...items: readonly UpstreamEntry[]): UpstreamListing<UpstreamEntry> {
  return { items, completeness: 'complete', problems: [] };
}

export function createPlainUpstream(name: string, { listChanged = false } = {}): PlainUpstream {
  const upstream: PlainUpstream = {
    name,
    state: 'running',
    session: { capabilities: { resources: { listChanged } } },
    listings: [],
    list: async () => complete({ uri: 'a:1', name: 'One' }),
    listResources: (options) => {
      upstream.listings.push({ wake: options.wake });
      return upstream.list(options);
    },
    listResourceTemplates: () => Promise.reject(Object.assign(new Error('Method not found'), { code: -32_601 })),
    listPrompts: () => Promise.reject(new Error('It has no prompts')),
    request: () => Promise.reject(new Error('spawn /home/me/.secret/bin ENOENT')),
    subscribeResource: async () => undefined,
    unsubscribeResource: async () => undefined,
    setLogLevel: async () => undefined,
  };
  return upstream;
}
