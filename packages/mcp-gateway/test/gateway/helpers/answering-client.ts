import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import type { ViewOptions } from '@x/internal/views';
import * as z from 'zod';
import type { Gateway } from '../../../src/gateway/gateway.js';
import { toNodeListener } from '../../../src/index.js';
import { serveOnLoopback } from '../../helpers/serve-on-loopback.js';

// biome-ignore lint/suspicious/noExplicitAny: two libraries' types of one thing, looked at by matchers alone
type Loose = any;

export type ClientKind = 'modern' | 'legacy' | 'v1';

/** What the client's user, model and folders say. */
export interface Answers {
  readonly elicitation?: (params: Loose, signal: AbortSignal) => unknown;
  readonly sampling?: (params: Loose, signal: AbortSignal) => unknown;
  readonly roots?: (params: Loose, signal: AbortSignal) => unknown;
}

export interface AnsweringOptions {
  readonly answers?: Answers;
  /** Default: as there are answers, with all that there is to them. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
}

export interface AnsweringClient extends AsyncDisposable {
  request(method: string, params: Record<string, unknown>, options?: Loose): Promise<Loose>;
  /** As the protocol has it: a client of the later revision is given `input_required` rather than answering it. */
  once(method: string, params: Record<string, unknown>, options?: Loose): Promise<Loose>;
  notify(method: string): Promise<void>;
  /** Notifications that have come. */
  readonly told: { readonly method: string; readonly params: Loose }[];
}

const FULL = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: { listChanged: true } };
const SCHEMAS = {
  elicitation: ['elicitation/create', ElicitRequestSchema],
  sampling: ['sampling/createMessage', CreateMessageRequestSchema],
  roots: ['roots/list', ListRootsRequestSchema],
} as const;

async function connectAnswering(
  kind: ClientKind,
  transport: unknown,
  { answers = {}, capabilities }: AnsweringOptions = {},
): Promise<AnsweringClient> {
  const asked = Object.keys(answers) as (keyof Answers)[];
  const declared = capabilities ?? Object.fromEntries(asked.map((key) => [key, FULL[key]]));
  const info = { name: 'test', version: '1.0.0' };
  const mode = kind === 'modern' ? { pin: '2026-07-28' } : ('legacy' as const);
  const client: Loose =
    kind === 'v1'
      ? new ClientV1(info, { capabilities: declared })
      : new ClientV2(info, { capabilities: declared, versionNegotiation: { mode } });
  for (const key of asked) {
    const [method, schema] = SCHEMAS[key];
    client.setRequestHandler(kind === 'v1' ? schema : method, ({ params }: Loose, extra: Loose) =>
      answers[key]?.(params, extra?.signal ?? extra?.mcpReq?.signal),
    );
  }
  const told: AnsweringClient['told'] = [];
  client.fallbackNotificationHandler = async ({ method, params }: Loose) => void told.push({ method, params });
  await client.connect(transport);
  const request: AnsweringClient['request'] = (method, params, options) =>
    kind === 'v1'
      ? client.request({ method, params }, z.looseObject({}), options)
      : client.request({ method, params }, options);
  return {
    request,
    once: (method, params, options) => request(method, params, { allowInputRequired: true, ...options }),
    notify: (method) => client.notification({ method }),
    told,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Connections in memory, each of its own. */
export function overStdio(gateway: Gateway) {
  return async (kind: ClientKind, options?: AnsweringOptions, audience: ViewOptions = {}) => {
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    const serving = gateway.serve({ ...audience, transport: serverSide });
    const client = await connectAnswering(kind, clientSide, options);
    const end = client[Symbol.asyncDispose];
    return Object.assign(client, {
      [Symbol.asyncDispose]: async () => {
        await end();
        await serving.closed;
      },
    });
  };
}

/**
 * One HTTP server for all clients. Tokens are `<principal>/<role>-token`, either of which may be left out; they are
 * ignored if callers are anonymous.
 */
export async function overHttp(
  gateway: Gateway,
  opened: AsyncDisposable[],
  { isAnonymous = false }: { isAnonymous?: boolean } = {},
) {
  const byToken = { verifyToken: (token: string) => ({ id: token, token }) };
  const handler = isAnonymous
    ? gateway.handler({ allowAnonymous: true })
    : gateway.handler(byToken, ({ token }) => {
        const [principal = '', role = ''] = token.replace('-token', '').split('/');
        return { ...(principal !== '' && { principal }), ...(role !== '' && { role }) };
      });
  const server = await serveOnLoopback(toNodeListener(handler));
  opened.push(handler, server);
  return async (kind: ClientKind, options?: AnsweringOptions, { principal = '', role = '' }: ViewOptions = {}) => {
    const headers = { Authorization: `Bearer ${principal}/${role}-token` };
    const Transport = kind === 'v1' ? HttpV1 : HttpV2;
    return connectAnswering(kind, new Transport(server.url, { requestInit: { headers } }), options);
  };
}
