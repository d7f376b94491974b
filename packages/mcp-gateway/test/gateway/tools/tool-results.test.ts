import type { SourceCallOptions, SourceTool } from '@x/internal/contracts';
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

let answer: (options: SourceCallOptions) => unknown;
let calls: SourceCallOptions[];
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
  const callTool = async (_: string, __: Fields, options: SourceCallOptions) => {
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

/** Sends calls as the revision wants them. */
async function callerOf(send: Send, era: 'legacy' | 'modern') {
  let headers: Readonly<Record<string, string>> = {};
  if (era === 'legacy') {
    const opening = await send(initialize(), {});
    await opening.text();
    headers = { 'mcp-session-id': opening.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
  }
  return (
    { name = 'plain', args = { a: 1 }, meta = {} }: Asked,
    { changed = {}, signal }: { changed?: Record<string, string>; signal?: AbortSignal } = {},
  ) => {
    const own =
      era === 'modern' ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name } : {};
    const _meta = { ...(era === 'modern' && modernMeta), ...meta };
    const params = { name, arguments: args, ...(Object.keys(_meta).length > 0 && { _meta }) };
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

const NONE = { content: text('The tool returned a result that the protocol does not allow'), isError: true };
const NO_ANSWER = 'The server asks for input in a form that the client does not support';

interface Case {
  readonly answer: () => unknown;
  /** Default: the answer, as it is. */
  readonly expected?: Fields;
  /** What a tool whose schema is no object is answered with before 2026-07-28. */
  readonly wrapped?: Fields;
  /** Differs since 2026-07-28. */
  readonly modern?: Fields;
  readonly code?: number;
  readonly modernCode?: number;
}

const cases: Readonly<Record<string, Case>> = {
  'a text': { answer: () => ({ content: text('a') }) },
  'several texts and an object': {
    answer: () => ({ content: [...text('a'), ...text('b')], structuredContent: { a: [1] } }),
    wrapped: { structuredContent: { result: { a: [1] } } },
  },
  'a failure of the tool': { answer: () => ({ content: text('no'), isError: true }) },
  'keys in _meta': { answer: () => ({ content: text('a'), _meta: { 'x/y': 1 } }) },
  'a key of the protocol in _meta': {
    answer: () => ({
      content: text('a'),
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'other', version: '9' } },
    }),
  },
  'no content': { answer: () => ({ content: [] }) },
  'structured content alone': {
    answer: () => ({ structuredContent: { a: 1 } }),
    expected: { content: [], structuredContent: { a: 1 } },
    wrapped: { structuredContent: { result: { a: 1 } } },
  },
  'a list as structured content': {
    answer: () => ({ content: text('a'), structuredContent: [1, 2] }),
    expected: { content: text('a'), structuredContent: { result: [1, 2] } },
    modern: { structuredContent: [1, 2] },
  },
  'a list as structured content and no text': {
    answer: () => ({ content: [], structuredContent: [1, 2] }),
    expected: { content: text('[1,2]'), structuredContent: { result: [1, 2] } },
    modern: { structuredContent: [1, 2] },
  },
  'an image': { answer: () => ({ content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] }) },
  'an invalid image': {
    answer: () => ({ content: [{ type: 'image', data: '%', mimeType: 'image/png' }] }),
    expected: NONE,
  },
  'a text with annotations': {
    answer: () => ({ content: [{ type: 'text', text: 'a', annotations: { priority: 1 } }] }),
  },
  'a text with invalid annotations': {
    answer: () => ({ content: [{ type: 'text', text: 'a', annotations: { priority: 'high' } }] }),
    expected: NONE,
  },
  'a block of an unknown type': { answer: () => ({ content: [{ type: 'smell', of: 'pine' }] }), expected: NONE },
  'unknown fields, of the result and of a block': {
    answer: () => ({ content: [{ type: 'text', text: 'a', more: 1 }], more: { x: 1 } }),
  },
  'a task': {
    answer: () => ({ content: [], resultType: 'task', taskId: '1' }),
    expected: { resultType: 'task', taskId: '1' },
  },
  'a request for input': {
    answer: () => ({ resultType: 'input_required', requestState: 'x', content: [] }),
    expected: { message: NO_ANSWER },
    code: -32_603,
    modern: { resultType: 'input_required', requestState: 'x', content: [], message: undefined },
  },
  'an error of the protocol': {
    answer: rpc(-32_602, { field: 'a' }),
    code: -32_602,
    expected: { data: { field: 'a' } },
  },
  'the error that a resource is missing': {
    answer: rpc(-32_002, { uri: 'a:1' }),
    code: -32_002,
    modernCode: -32_602,
    expected: { data: { uri: 'a:1' } },
  },
  'an error with an unknown code': { answer: rpc(-31_000), code: -31_000, expected: { message: 'It says no' } },
  'an error that sends the user to a page': {
    answer: rpc(-32_042, { elicitations: [] }),
    code: -32_042,
    modernCode: -32_603,
    expected: {},
  },
  'an error of the server behind the tool': {
    answer: () => Promise.reject(new Error('spawn /home/me/.secret/bin ENOENT')),
    expected: {
      content: text('The server did not respond: failed'),
      isError: true,
      _meta: { 'mcp-registry/failure': { reason: 'failed' } },
    },
  },
  'an unusable response of the server': {
    answer: () => Promise.reject(Object.assign(new Error('in /home/me/.secret'), { code: 'server-error' })),
    expected: {
      content: text('The server failed: server-error'),
      isError: true,
      _meta: { 'mcp-registry/failure': { reason: 'server-error' } },
    },
  },
  'the error that the server is busy': {
    answer: () => Promise.reject(Object.assign(new Error('in /home/me/.secret'), BUSY)),
    expected: {
      content: text('The server did not respond: busy'),
      isError: true,
      _meta: { 'mcp-registry/failure': { reason: 'busy', retryable: true, retryAfterMs: 700 } },
    },
  },
};

const STAMPS = { 'io.modelcontextprotocol/serverInfo': expect.objectContaining({ name: expect.any(String) }) };

/** The `result` or `error` that a client receives for an answer of the tool's server. */
function expectedOf({ answer: given, expected, wrapped, modern, code, modernCode }: Case, era: string, tool: string) {
  const whole: Fields = expected ?? (given() as Fields);
  if (era === 'legacy') {
    if (code !== undefined) return { error: expect.objectContaining({ ...whole, code }) };
    return { result: { ...whole, ...(tool === 'typed' && wrapped) } };
  }
  const isError = code !== undefined && modern === undefined;
  if (isError) {
    const data = modernCode === -32_603 ? {} : whole;
    return { error: expect.objectContaining({ ...data, code: modernCode ?? code }) };
  }
  const all: Fields = { resultType: 'complete', ...whole, ...modern };
  const { message: _, ...result } = all;
  return { result: { ...result, _meta: { ...STAMPS, ...(whole._meta as Fields | undefined) } } };
}

describe.each(faces)('over $face', ({ reach }) => {
  describe.each(['legacy', 'modern'] as const)('a call of a client of the %s revisions', (era) => {
    async function open() {
      return callerOf(await reach(await serve()), era);
    }

    test.each(Object.keys(cases))('returns %s unchanged, as far as the revision allows', async (kind) => {
      const known = cases[kind] as Case;
      answer = known.answer;
      const call = await open();
      for (const name of ['plain', 'typed']) {
        const { status, body } = await seen(await call({ name }));
        expect(status).toBe(200);
        expect(body).toEqual({ jsonrpc: '2.0', id: 7, ...expectedOf(known, era, name) });
      }
    });

    test.each(['none', 'secret'])('is refused for a tool that the role may not use: %s', async (name) => {
      const call = await open();
      const { status, body } = await seen(await call({ name }));
      expect([status, body.error.code]).toEqual([200, -32_602]);
      expect(body.error.message).toContain(`There is no tool named "${name}"`);
      expect(calls).toHaveLength(0);
    });

    test('reports invalid arguments to the model', async () => {
      const call = await open();
      const { body } = await seen(await call({ name: 'strict', args: { count: 'many' } }));
      expect(body.result.isError).toBe(true);
      expect(calls).toHaveLength(0);
    });

    test('passes on _meta of a trace, and nothing of the protocol', async () => {
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const call = await open();
      await seen(await call({ meta: { traceparent } }));
      expect(calls.map(({ meta }) => meta)).toEqual([{ traceparent }]);
    });

    test('must repeat an argument as a header if the tool requires it', async () => {
      const call = await open();
      const asked = { name: 'header', args: { region: 'north' } };
      const { status, body } = await seen(await call(asked));
      expect([status, body.error?.code]).toEqual(era === 'modern' ? [400, -32_020] : [200, undefined]);
      expect((await seen(await call(asked, { changed: { 'mcp-param-region': 'north' } }))).body.result).toBeDefined();
    });

    const json = 'application/json';
    const stream = 'text/event-stream';
    test.each<{ readonly header: Record<string, string>; legacy: unknown; modern: unknown }>([
      { header: { 'mcp-protocol-version': '2024-01-01' }, legacy: [400, -32_000, json], modern: [400, -32_020, json] },
      { header: { 'mcp-protocol-version': '2027-01-01' }, legacy: [400, -32_602, json], modern: [400, -32_020, json] },
      { header: { 'mcp-method': 'tools/list' }, legacy: [200, undefined, json], modern: [400, -32_020, json] },
      { header: { 'mcp-name': 'other' }, legacy: [200, undefined, json], modern: [400, -32_020, json] },
      { header: { accept: json }, legacy: [200, undefined, json], modern: [200, undefined, json] },
      { header: { accept: stream }, legacy: [200, undefined, stream], modern: [200, undefined, stream] },
      { header: { accept: 'text/plain' }, legacy: [406, -32_000, json], modern: [200, undefined, json] },
    ])('is checked against its headers: $header', async ({ header, legacy, modern }) => {
      const call = await open();
      const { status, type, body } = await seen(await call({}, { changed: header }));
      expect([status, body.error?.code, type]).toEqual(era === 'modern' ? modern : legacy);
    });

    test('counts against the rate limits of its server', async () => {
      const call = await open();
      for (let number = 0; number < 3; number++) expect((await seen(await call({}))).body.error).toBeUndefined();
      expect((await seen(await call({}))).body).toMatchObject({ id: 7, error: { data: { reason: 'rate-limited' } } });
      expect(calls).toHaveLength(3);
    });

    test('ends when the client cancels it', async () => {
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

  test('a call that closing the handler cancels gets the error of a closed server', async () => {
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

  test('a call of an earlier revision gets progress on a stream, which its result ends', async () => {
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
