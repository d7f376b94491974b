import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

/** A client as others have it: an editor, an agent, a test. It knows nothing of the registry. */
export async function connect(url: URL, token: string) {
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  const client = new Client({ name: 'example-client', version: '1.0.0' });
  await client.connect(transport);
  return Object.assign(client, {
    sessionId: transport.sessionId ?? '',
    nextChange: () =>
      new Promise<void>((resolve) => client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve())),
    async [Symbol.asyncDispose]() {
      await transport.terminateSession();
      await client.close();
    },
  });
}

export async function namesOf(client: Client): Promise<string[]> {
  const { tools } = await client.listTools();
  return tools.map(({ name }) => name);
}

export function textOf(result: Awaited<ReturnType<Client['callTool']>>): string {
  const [first] = result.content as { text?: string }[];
  return first?.text ?? '';
}
