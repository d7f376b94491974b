import { Client, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

// biome-ignore lint/suspicious/noExplicitAny: two libraries' types of one thing, looked at by matchers alone
export type Loose = any;

/** Official clients: of revision 2026-07-28, of 2025-11-25, and of the SDK 1.x. */
export const clientKinds = ['modern', 'legacy', 'v1'] as const;
export type ClientKind = (typeof clientKinds)[number];

/** What a client answers to servers. It declares these capabilities and no others. */
export interface Answers {
  readonly elicitation?: (params: Loose, signal: AbortSignal) => unknown;
  readonly sampling?: (params: Loose) => unknown;
  readonly roots?: () => unknown;
}

const FULL = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: { listChanged: true } };
const SCHEMAS = {
  elicitation: ['elicitation/create', ElicitRequestSchema],
  sampling: ['sampling/createMessage', CreateMessageRequestSchema],
  roots: ['roots/list', ListRootsRequestSchema],
} as const;

/** The user `name` answers everything. */
export function answersOf(name: string): Answers {
  return {
    elicitation: ({ mode }) => ({ action: 'accept', ...(mode !== 'url' && { content: { name } }) }),
    sampling: () => ({ role: 'assistant', content: { type: 'text', text: name }, model: 'm' }),
    roots: () => ({ roots: [{ uri: `file:///${name}` }] }),
  };
}

export async function connectAnswering(transport: Loose, kind: ClientKind, answers: Answers) {
  const info = { name: 'test', version: '1.0.0' };
  const asked = Object.keys(answers) as (keyof Answers)[];
  const capabilities = Object.fromEntries(asked.map((key) => [key, FULL[key]]));
  const mode = kind === 'modern' ? { pin: '2026-07-28' } : 'legacy';
  const client: Loose =
    kind === 'v1'
      ? new ClientV1(info, { capabilities })
      : new Client(info, { capabilities, versionNegotiation: { mode } } as never);
  for (const key of asked) {
    const [method, schema] = SCHEMAS[key];
    client.setRequestHandler(kind === 'v1' ? schema : method, ({ params }: Loose, extra: Loose) =>
      answers[key]?.(params, extra?.signal ?? extra?.mcpReq?.signal),
    );
  }
  const told: { method: string; params: Loose }[] = [];
  client.fallbackNotificationHandler = async (notification: Loose) => void told.push(notification);
  await client.connect(transport);
  const call = async (name: string, args: Record<string, unknown> = {}, options?: Loose): Promise<Loose> =>
    client.callTool({ name, arguments: args }, ...(kind === 'v1' ? [undefined, options] : [options]));
  return { client, call, told, [Symbol.asyncDispose]: (): Promise<void> => client.close() };
}

export function httpTransport(kind: ClientKind, url: URL, token: string): Loose {
  const Transport = kind === 'v1' ? HttpV1 : HttpV2;
  return new Transport(url, { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
}

/** The JSON in a tool's result. */
export function parse({ content }: Loose): Loose {
  return JSON.parse(content[0].text);
}

/** Arguments of the tool `ask` of the server `asks-host`. */
export function ask(method: string, params: Record<string, unknown> = {}): Record<string, unknown> {
  return { method, params };
}

export const form = {
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
};
export const words = { messages: [{ role: 'user', content: { type: 'text', text: 'Well?' } }], maxTokens: 10 };
