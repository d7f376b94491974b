import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export interface ExampleClient extends AsyncDisposable {
  readonly revision: string | undefined;
  names(): Promise<string[]>;
  call(name: string, args?: Record<string, unknown>): Promise<string>;
  /** Resolves at the next notice that the tools have changed. */
  nextChange(): Promise<void>;
}

/** A client as others have it. It knows nothing of the registry. */
export async function connect(url: URL, token: string, era: 'modern' | 'legacy'): Promise<ExampleClient> {
  let told = (): void => undefined;
  const client = new Client(
    { name: 'example-client', version: '1.0.0' },
    {
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
      listChanged: { tools: { autoRefresh: false, onChanged: () => told() } },
    },
  );
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  );
  return {
    revision: client.getNegotiatedProtocolVersion(),
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args = {}) {
      const { content } = await client.callTool({ name, arguments: args });
      const [first] = content;
      return first?.type === 'text' ? first.text : '';
    },
    nextChange: () =>
      new Promise((resolve) => {
        told = resolve;
      }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
