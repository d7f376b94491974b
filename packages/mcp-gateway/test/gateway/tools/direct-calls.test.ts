import type { CallToolOptions, SourceTool } from '@x/internal/contracts';
import { createRegistry } from '@x/mcp-registry';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import { createHttpServer, type RegistryHandler } from '../../../src/index.js';
import { initialize, modernMeta } from '../../helpers/http-requests.js';
import { serveOnLoopback } from '../../helpers/serve-on-loopback.js';
import { createPlainUpstream, silentUpstreams } from '../helpers/plain-upstream.js';

type Fields = Readonly<Record<string, unknown>>;
type Send = (body: unknown, headers: Readonly<Record<string, string>>, signal?: AbortSignal) => Promise<Response>;

const text = (given: string) => [{ type: 'text', text: given }];
const object = { type: 'object' } as const;
const tools: readonly SourceTool[] = [
  { name: 'plain', inputSchema: object },
  { name: 'typed', inputSchema: object, outputSchema: { type: 'array' } },
  { name: 'strict', inputSchema: { ...object, properties: { count: { type: 'number' } }, required: ['count'] } },
  { name: 'secret', inputSchema: object },
  { name: 'header', inputSchema: { ...object, properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } },
];

let answer: (options: CallToolOptions) => unknown;
let calls: CallToolOptions[];
const opened: AsyncDisposable[] = [];
beforeEach(() => {
  answer = () => ({ content: text('done') });
  calls = [];
});
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

async function serve(): Promise<RegistryHandler> {
  const registry = createRegistry({
    roles: [{ role: 'guest', allowedTools: ['s.plain', 's.typed', 's.strict', 's.header'] }],
  });
  const listTools = () => tools;
  const callTool = async (_: string, __: Fields, options: CallToolOptions) => {
    calls.push(options);
    return (await answer(options)) as never;
  };
  await registry.attach({ name: 's', listTools, callTool }).ready;
  const gateway = createGateway({
    registry,
    upstreams: silentUpstreams(createPlainUpstream('s')),
    names: 'as-is',
    rateLimits: { perServer: { s: { requests: 3, perMs: 1_000_000 } } },
  });
  const handler = gateway.handler({ allowAnonymous: true }, () => ({ role: 'guest' }));
  opened.push(registry, gateway, handler);
  return handler;
}

/** One handler, by the two ways in which it is reached. */
const faces: readonly { readonly face: string; readonly reach: (handler: RegistryHandler) => Promise<Send> }[] = [
  {
    face: 'fetch',
    reach:
      async ({ fetch }) =>
      (body, headers, signal) =>
        fetch(new Request('http://localhost/mcp', { ...init(body, headers), ...(signal && { signal }) })),
  },
  {
    face: 'Node',
    reach: async (handler) => {
      const server = await serveOnLoopback(createHttpServer(handler).listeners('request')[0] as never);
      opened.push(server);
      return (body, headers, signal) => fetch(server.url, { ...init(body, headers), ...(signal && { signal }) });
    },
  },
];

function init(body: unknown, headers: Readonly<Record<string, string>>): RequestInit {
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  return { method: 'POST', headers: all, body: JSON.stringify(body) };
}

interface Asked {
  readonly name?: string;
  readonly args?: Fields;
  readonly meta?: Fields;
}

/** Sends calls as the revision wants them. `further` makes the same call one that the direct path does not take. */
async function callerOf(send: Send, era: 'legacy' | 'modern') {
  let headers: Readonly<Record<string, string>> = {};
  if (era === 'legacy') {
    const opening = await send(initialize(), {});
    await opening.text();
    headers = { 'mcp-session-id': opening.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
  }
  return (
    { name = 'plain', args = { a: 1 }, meta = {} }: Asked,
    {
      further = {},
      changed = {},
      signal,
    }: { further?: Fields; changed?: Record<string, string>; signal?: AbortSignal } = {},
  ) => {
    const own =
      era === 'modern' ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name } : {};
    const _meta = { ...(era === 'modern' && modernMeta), ...meta };
    const params = { name, arguments: args, ...(Object.keys(_meta).length > 0 && { _meta }), ...further };
    return send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }, { ...headers, ...own, ...changed }, signal);
  };
}

async function seen(response: Response) {
  const body = await response.text();
  const { headers } = response;
  const told = {
    type: headers.get('content-type'),
    session: headers.get('mcp-session-id'),
    cache: headers.get('cache-control'),
  };
  return { status: response.status, ...told, body: body.startsWith('{') ? JSON.parse(body) : body };
}

function rpc(code: number, data?: unknown) {
  return () => Promise.reject(Object.assign(new Error('It says no'), { code, data }));
}

const BUSY = { code: 'busy', retryable: true, retryAfterMs: 700 };

const answers: Readonly<Record<string, () => unknown>> = {
  'a text': () => ({ content: text('a') }),
  'several texts and an object': () => ({ content: [...text('a'), ...text('b')], structuredContent: { a: [1] } }),
  'a failure of the tool': () => ({ content: text('no'), isError: true }),
  'what says more in _meta': () => ({ content: text('a'), _meta: { 'x/y': 1 } }),
  'what says something of the protocol in _meta': () => ({
    content: text('a'),
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'other', version: '9' } },
  }),
  'no content': () => ({ content: [] }),
  'structured content alone': () => ({ structuredContent: { a: 1 } }),
  'a list as structured content': () => ({ content: text('a'), structuredContent: [1, 2] }),
  'a list as structured content and no text': () => ({ content: [], structuredContent: [1, 2] }),
  'an image': () => ({ content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] }),
  'an image that is none': () => ({ content: [{ type: 'image', data: '%', mimeType: 'image/png' }] }),
  'a text with annotations': () => ({ content: [{ type: 'text', text: 'a', annotations: { priority: 1 } }] }),
  'a text with odd annotations': () => ({ content: [{ type: 'text', text: 'a', annotations: { priority: 'high' } }] }),
  'a block of an unknown type': () => ({ content: [{ type: 'smell', of: 'pine' }] }),
  'fields that nobody knows': () => ({ content: text('a'), more: { x: 1 } }),
  'a result that is not complete': () => ({ content: [], resultType: 'task', taskId: '1' }),
  'a question first': () => ({ resultType: 'input_required', requestState: 'x', content: [] }),
  'nothing that is a result': () => 'text',
  'an error of the protocol': rpc(-32_602, { field: 'a' }),
  'a resource that is not there': rpc(-32_002, { uri: 'a:1' }),
  'an unknown code': rpc(-31_000),
  'a page to visit first': rpc(-32_042, { elicitations: [] }),
  'a server that is busy': () => Promise.reject(Object.assign(new Error('in /home/me/.secret'), BUSY)),
  'a server that is gone': () => Promise.reject(new Error('spawn /home/me/.secret/bin ENOENT')),
};

describe.each(faces)('over $face', ({ reach }) => {
  describe.each(['legacy', 'modern'] as const)('a call of a client of the %s revisions', (era) => {
    async function open() {
      return callerOf(await reach(await serve()), era);
    }

    /** The protocol library ignores what it does not know in params; the direct path leaves it to the library. */
    async function bothWays(asked: Asked, changed: Record<string, string> = {}) {
      const call = await open();
      const direct = await seen(await call(asked, { changed }));
      const library = await seen(await call(asked, { further: { unread: 1 }, changed }));
      return { direct, library };
    }

    test.each(Object.keys(answers))('is answered alike by both ways: %s', async (kind) => {
      answer = answers[kind] as typeof answer;
      for (const name of ['plain', 'typed']) {
        const { direct, library } = await bothWays({ name });
        expect(direct).toEqual(library);
      }
      expect(new Set(calls.map(({ meta }) => JSON.stringify(meta))).size).toBeLessThanOrEqual(1);
    });

    test.each([
      { title: 'a tool that there is not', asked: { name: 'none' } },
      { title: 'a tool that the role may not use', asked: { name: 'secret' } },
      { title: 'arguments that do not fit', asked: { name: 'strict', args: { count: 'many' } } },
      {
        title: 'what belongs to a trace',
        asked: { meta: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } },
      },
      { title: 'a header that the tool wants', asked: { name: 'header', args: { region: 'north' } } },
    ])('is answered alike by both ways: $title', async ({ asked }) => {
      const { direct, library } = await bothWays(asked);
      expect(direct).toEqual(library);
    });

    test.each<Record<string, string>>([
      { 'mcp-protocol-version': '2024-01-01' },
      { 'mcp-protocol-version': '2027-01-01' },
      { 'mcp-method': 'tools/list' },
      { 'mcp-name': 'other' },
      { accept: 'application/json' },
      { accept: 'text/event-stream' },
      { accept: 'text/plain' },
    ])('is answered alike by both ways with the header %j', async (changed) => {
      const { direct, library } = await bothWays({}, changed);
      if (direct.type !== 'text/event-stream') expect(direct).toEqual(library);
      else expect(inEvents(direct)).toEqual(inEvents(library));
    });

    test('says why it failed and whether it may be made again', async () => {
      answer = answers['a server that is busy'] as typeof answer;
      const { direct, library } = await bothWays({});
      expect(direct).toEqual(library);
      const message = typeof direct.body === 'string' ? JSON.parse(direct.body.replace(/^[^{]*/, '')) : direct.body;
      expect(message.result).toMatchObject({
        isError: true,
        content: text('The server behind this did not answer: busy'),
        _meta: { 'mcp-registry/failure': { reason: 'busy', retryable: true, retryAfterMs: 700 } },
      });
    });

    test('counts against the limits of its server', async () => {
      const call = await open();
      for (let number = 0; number < 3; number++) expect((await seen(await call({}))).body.error).toBeUndefined();
      expect((await seen(await call({}))).body).toMatchObject({ id: 7, error: { data: { reason: 'rate-limited' } } });
      expect(calls).toHaveLength(3);
    });

    test('ends when the client does not want it any more', async () => {
      const gone = new AbortController();
      const call = await open();
      const ended = new Promise<void>((resolve) => {
        answer = ({ signal }) =>
          new Promise((_, reject) => {
            signal?.addEventListener('abort', () => {
              resolve();
              reject(signal.reason);
            });
            if (era === 'modern') gone.abort();
            else cancel();
          });
      });
      let cancel = () => {};
      if (era === 'legacy') {
        const handler = await serve();
        const send = await reach(handler);
        const opening = await send(initialize(), {});
        await opening.text();
        const headers = { 'mcp-session-id': opening.headers.get('mcp-session-id') ?? '' };
        const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
        cancel = () => void send(notification, headers);
        const params = { name: 'plain', arguments: {} };
        const answered = await send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }, headers);
        expect(await answered.text()).not.toContain('"id":7');
      } else {
        await call({}, { signal: gone.signal }).catch(() => undefined);
      }
      await ended;
    });
  });

  test('a call that the end of the handler cancels is answered as one to a server that is closed', async () => {
    const handler = await serve();
    const call = await callerOf(await reach(handler), 'modern');
    const started = new Promise<void>((resolve) => {
      answer = ({ signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
          resolve();
        });
    });
    const answered = call({});
    await started;
    await handler.close();
    const { status, body } = await seen(await answered);
    expect(status).toBe(503);
    expect(body).toMatchObject({ id: 7, error: { message: expect.stringContaining('The server is closed') } });
  });

  test('a call of the earlier revisions is told of progress on a stream, which its result ends', async () => {
    const call = await callerOf(await reach(await serve()), 'legacy');
    answer = ({ onProgress }) => {
      onProgress?.({ progress: 1, total: 2 });
      return { content: text('done') };
    };
    const response = await call({ meta: { progressToken: 'p' } });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = await response.text();
    expect(events).toMatch(/^id: \S+\nretry: 1000\ndata: \n\n/);
    expect(events.indexOf('"progressToken":"p"')).toBeGreaterThan(0);
    expect(events.indexOf('"id":7')).toBeGreaterThan(events.indexOf('"progressToken":"p"'));
  });
});

/** Each stream has ids of its own. */
function inEvents({ body, ...rest }: Awaited<ReturnType<typeof seen>>) {
  const events = String(body).split('\n\n');
  const told = events.flatMap((event) => /^data: (.+)$/m.exec(event)?.slice(1) ?? []).map((data) => JSON.parse(data));
  return { ...rest, told, events: events.map((event) => event.replace(/^(id|data): .*$/gm, '$1')) };
}
