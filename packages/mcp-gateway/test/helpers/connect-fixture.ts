import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { inject } from 'vitest';
import { connectV2, type Era } from './test-client.js';

/** Starts the fixture as a process of its own and connects a client to it. */
export async function connectFixture(era: Era) {
  const args = [join(inject('programsFolder'), 'serve-native.js')];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' });
  const whatClosed = new Promise<void>((resolve) => {
    transport.stderr?.on('data', (data) => String(data).includes('closed') && resolve());
  });
  const client = await connectV2(era, transport);
  return { client, whatClosed, pid: Number(transport.pid) };
}
