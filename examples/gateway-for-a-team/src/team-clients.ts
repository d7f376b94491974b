import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** What either generation of the SDK can do, as far as this story goes. */
export interface TeamClient extends AsyncDisposable {
  readonly revision: string | undefined;
  /** Clients of earlier revisions have a session; those of 2026-07-28 need none. */
  readonly sessionId: string | undefined;
  toolNames(): Promise<readonly string[]>;
  /** The text of the result. */
  call(name: string, args?: Record<string, unknown>): Promise<string>;
}

/** A client of SDK 2, which speaks the revision 2026-07-28. */
export async function connectModern(url: URL, token: string): Promise<TeamClient> {
  const transport = new StreamableHTTPClientTransport(url, { requestInit: withToken(token) });
  const client = new Client({ name: 'editor', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport);
  return {
    revision: client.getNegotiatedProtocolVersion(),
    sessionId: transport.sessionId,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => textOf(await client.callTool({ name, arguments: args })),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** A client of SDK 1.x, as most host apps have it. */
export async function connectLegacy(url: URL, token: string): Promise<TeamClient> {
  const transport = new TransportV1(url, { requestInit: withToken(token) });
  const client = new ClientV1({ name: 'terminal', version: '1.0.0' });
  await client.connect(transport as Parameters<ClientV1['connect']>[0]);
  return {
    get revision() {
      return transport.protocolVersion;
    },
    get sessionId() {
      return transport.sessionId;
    },
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => textOf(await client.callTool({ name, arguments: args })),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function withToken(token: string): RequestInit {
  return { headers: { Authorization: `Bearer ${token}` } };
}

function textOf(result: object): string {
  const content = 'content' in result && Array.isArray(result.content) ? result.content : [];
  return String(content[0]?.text);
}
