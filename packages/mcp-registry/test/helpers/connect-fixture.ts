import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export type Era = 'modern' | 'legacy';

/** Starts a fixture as a process of its own and connects the official client to it. Disposing ends both. */
export async function connectFixture(era: Era, args: readonly string[] = [], onListChanged?: () => void) {
  const fixture = fileURLToPath(new URL('../fixtures/serve-native.ts', import.meta.url));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', 'tsx', fixture, ...args],
    stderr: 'pipe',
  });
  const errors: Error[] = [];
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
      ...(onListChanged === undefined
        ? {}
        : { listChanged: { tools: { autoRefresh: false, onChanged: onListChanged } } }),
    },
  );
  // A line on stdout that is no message would be told here.
  client.onerror = (error) => errors.push(error);
  const whatClosed = new Promise<void>((resolve) => {
    transport.stderr?.on('data', (data) => String(data).includes('closed') && resolve());
  });
  await client.connect(transport);
  return {
    client,
    errors,
    pid: transport.pid,
    whatClosed,
    [Symbol.asyncDispose]: () => client.close(),
  };
}
