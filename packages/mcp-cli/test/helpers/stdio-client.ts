import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mcpx } from './serving.js';

/** The official client in front of `mcpx serve`. */
export async function connectStdio(
  cwd: string,
  args: readonly string[] = [],
  { era = 'legacy' }: { era?: 'legacy' | '2026-07-28' } = {},
) {
  const mode = era === 'legacy' ? ('legacy' as const) : { pin: era };
  const client = new Client({ name: 'official', version: '1.0.0' }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [mcpx, 'serve', ...args],
    cwd,
    stderr: 'pipe',
  });
  await client.connect(transport);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}
