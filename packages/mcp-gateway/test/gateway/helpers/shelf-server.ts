import { ProtocolError, Server } from '@modelcontextprotocol/server';

export interface ShelfServer {
  readonly server: Server;
  /** Every request, by method. */
  readonly requests: { readonly method: string; readonly params: Record<string, unknown> }[];
  readonly subscribed: Set<string>;
  level: string | undefined;
  books: Record<string, unknown>[];
  update(uri: string): Promise<void>;
  log(level: 'debug' | 'info' | 'error', data: unknown): Promise<void>;
  announce(list: 'resources' | 'prompts'): Promise<void>;
  /** Resolves when a call of `wait` was cancelled. */
  readonly cancelled: Promise<void>;
}

/** A server with books to read. All of its kind name them the same. */
export function createShelf(title: string): ShelfServer {
  const server = new Server(
    { name: `shelf-${title}`, version: '3.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      instructions: `Read ${title}`,
    },
  );
  let cancel = () => {};
  const cancelled = new Promise<void>((resolve) => (cancel = resolve));
  const shelf: ShelfServer = {
    server,
    requests: [],
    subscribed: new Set(),
    level: undefined,
    cancelled,
    books: [
      { uri: 'book:///one', name: 'One', mimeType: 'text/plain', _meta: { 'x/kept': [1] } },
      { uri: 'book:///two', name: 'Two', annotations: { priority: 0.5 } },
    ],
    update: (uri) => server.sendResourceUpdated({ uri }),
    log: (level, data) => server.sendLoggingMessage({ level, logger: 'desk', data }),
    announce: (list) => (list === 'resources' ? server.sendResourceListChanged() : server.sendPromptListChanged()),
  };
  const note = (method: string, params: unknown) => shelf.requests.push({ method, params: (params ?? {}) as never });

  server.setRequestHandler('resources/list', () => ({ resources: shelf.books as never }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'book:///{name}{?page}', name: 'Any' }],
  }));
  server.setRequestHandler('resources/read', ({ params }) => {
    note('resources/read', params);
    if (params.uri === 'book:///burnt') throw new ProtocolError(-32_050, 'It burnt', { when: 'long ago' });
    return { contents: [{ uri: params.uri, text: `${title}: ${params.uri}` }], _meta: { 'x/uri': params.uri } };
  });
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    note('resources/subscribe', params);
    shelf.subscribed.add(params.uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    note('resources/unsubscribe', params);
    shelf.subscribed.delete(params.uri);
    return {};
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: [{ name: 'summary', arguments: [{ name: 'of', required: true }] }, { name: 'odd name / 1' }],
  }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    note('prompts/get', params);
    const of = String(params.arguments?.of);
    return {
      messages: [
        { role: 'user', content: { type: 'text', text: `${title} ${params.name} of ${of}` } },
        { role: 'user', content: { type: 'resource', resource: { uri: of, text: 'its text' } } },
      ],
    };
  });
  server.setRequestHandler('completion/complete', ({ params }) => {
    note('completion/complete', params);
    const about = params.ref.type === 'ref/prompt' ? params.ref.name : params.ref.uri;
    return { completion: { values: [`${title} ${about} ${params.argument.value}`], total: 1, hasMore: false } };
  });
  server.setRequestHandler('logging/setLevel', ({ params }) => {
    shelf.level = params.level;
    return {};
  });
  server.setRequestHandler('tools/list', () => ({
    tools: [
      { name: 'find', inputSchema: { type: 'object' } },
      { name: 'wait', inputSchema: { type: 'object' } },
      { name: 'refuse', inputSchema: { type: 'object' } },
      { name: `only_${title}`, inputSchema: { type: 'object' } },
    ],
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    note('tools/call', params);
    if (params.name === 'refuse') throw new ProtocolError(-32_099, 'Not today', { until: 'tomorrow' });
    if (params.name === 'wait') {
      mcpReq.signal.addEventListener('abort', () => cancel());
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken !== undefined) {
        const progress = { progressToken, progress: 1, total: 2, message: 'waiting' };
        await mcpReq.notify({ method: 'notifications/progress', params: progress });
      }
      return new Promise<never>(() => {});
    }
    await mcpReq.log('info', `${title} looks`, 'desk');
    return {
      content: [
        { type: 'text', text: 'book:///one' },
        { type: 'resource_link', uri: 'book:///one', name: 'One' },
        { type: 'resource', resource: { uri: 'book:///two', text: 'two' } },
      ],
      structuredContent: { uri: 'book:///one' },
      _meta: { 'x/uri': 'book:///one' },
    };
  });
  return shelf;
}
