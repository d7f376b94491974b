import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { connectV2, type Era } from './test-client.js';

/** Starts the fixture as a process of its own and connects a client to it. */
export async function connectFixture(era: Era) {
  const fixture = fileURLToPath(new URL('../fixtures/serve-native.ts', import.meta.url));
  const args = ['--import', 'tsx', fixture];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' });
  const whatClosed = new Promise<void>((resolve) => {
    transport.stderr?.on('data', (data) => String(data).includes('closed') && resolve());
  });
  const client = await connectV2(era, transport);
  return { client, whatClosed, pid: Number(transport.pid) };
}
