import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { startCommand } from './running-command.js';
import { transportOf } from './served-client.js';
import { homeIn, ioIn, mcpx } from './serving.js';

/** The official client in front of `mcpx serve` in the process of the test. */
export async function connectStdio(cwd: string, args: readonly string[] = []) {
  const client = official('legacy');
  const command = startCommand(['serve', '--own-servers', ...args], ioIn(cwd));
  await client.connect(transportOf(command));
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await command.ended;
    },
  };
}

/** The same with a process of its own. */
export async function connectStdioProcess(
  cwd: string,
  args: readonly string[] = [],
  { era = 'legacy' }: { era?: 'legacy' | '2026-07-28' } = {},
) {
  const client = official(era);
  await client.connect(new StdioClientTransport(serveCommand(cwd, args)));
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

function official(era: 'legacy' | '2026-07-28'): Client {
  const mode = era === 'legacy' ? ('legacy' as const) : { pin: era };
  return new Client({ name: 'official', version: '1.0.0' }, { versionNegotiation: { mode } });
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
