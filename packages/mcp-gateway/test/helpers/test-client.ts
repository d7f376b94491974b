import { Client as ClientV2, type Transport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

export type Era = 'modern' | 'legacy';

interface Call {
  readonly name: string;
  readonly arguments?: Record<string, unknown>;
  readonly _meta?: Record<string, unknown>;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number }) => void;
}

interface Page {
  // biome-ignore lint/suspicious/noExplicitAny: two libraries' types of one thing, looked at by matchers alone
  readonly tools: any[];
  readonly nextCursor?: string | undefined;
}

/** What both generations of the official client can do. */
export interface TestClient extends AsyncDisposable {
  /** The first page, or the one of a cursor. */
  listPage(cursor?: string): Promise<Page>;
  listAll(): Promise<Page['tools']>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  call(call: Call, options?: CallOptions): Promise<any>;
  /** Resolves at the next notice that the tools have changed. */
  nextChange(): Promise<void>;
  readonly changes: () => number;
  readonly info: { readonly version: unknown; readonly instructions: string | undefined };
  readonly errors: readonly Error[];
}

const info = { name: 'test', version: '1.0.0' };

/** The client of `@modelcontextprotocol/client` 2.x. */
export async function connectV2(era: Era, transport: TransportV2): Promise<TestClient> {
  const changes = createCounter();
  const errors: Error[] = [];
  const client = new ClientV2(info, {
    versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
    listChanged: { tools: { autoRefresh: false, onChanged: changes.add } },
  });
  client.onerror = (error) => errors.push(error);
  await client.connect(transport);
  return {
    listPage: (cursor) =>
      client.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } }) as Promise<Page>,
    listAll: async () => (await client.listTools()).tools,
    call: (call, options) => client.callTool(call, options),
    nextChange: changes.next,
    changes: changes.count,
    info: { version: client.getServerVersion(), instructions: client.getInstructions() },
    errors,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The client of `@modelcontextprotocol/sdk` 1.x. */
export async function connectV1(transport: unknown): Promise<TestClient> {
  const changes = createCounter();
  const errors: Error[] = [];
  const client = new ClientV1(info);
  client.onerror = (error) => {
    // Its report about each stream that it ends itself.
    if (!error.message.includes('AbortError')) errors.push(error);
  };
  client.setNotificationHandler(ToolListChangedNotificationSchema, changes.add);
  // Its transports do not fit its own type where optional fields are taken at their word.
  await client.connect(transport as TransportV1);
  const listPage = (cursor?: string) => client.listTools(cursor === undefined ? {} : { cursor });
  return {
    listPage,
    async listAll() {
      const tools: Page['tools'] = [];
      for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
        const page: Page = await listPage(cursor);
        tools.push(...page.tools);
        cursor = page.nextCursor;
      }
      return tools;
    },
    call: (call, options) => client.callTool(call, undefined, options as never),
    nextChange: changes.next,
    changes: changes.count,
    info: { version: client.getServerVersion(), instructions: client.getInstructions() },
    errors,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function createCounter() {
  let count = 0;
  const waiting = new Set<() => void>();
  return {
    add: () => {
      count++;
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
    next: () => new Promise<void>((resolve) => waiting.add(resolve)),
    count: () => count,
  };
}
