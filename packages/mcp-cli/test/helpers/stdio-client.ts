import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { homeIn, mcpx } from './serving.js';

/** The official client in front of `mcpx serve`. */
export async function connectStdio(
  cwd: string,
  args: readonly string[] = [],
  { era = 'legacy' }: { era?: 'legacy' | '2026-07-28' } = {},
) {
  const mode = era === 'legacy' ? ('legacy' as const) : { pin: era };
  const client = new Client({ name: 'official', version: '1.0.0' }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport(serveCommand(cwd, args));
  await client.connect(transport);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

/** `mcpx serve` as the official clients start it, with its state in the folder. */
export function serveCommand(cwd: string, args: readonly string[] = []) {
  return {
    command: process.execPath,
    args: [mcpx, 'serve', '--own-servers', ...args],
    cwd,
    env: { ...getDefaultEnvironment(), ...homeIn(cwd) },
    stderr: 'pipe' as const,
  };
}
