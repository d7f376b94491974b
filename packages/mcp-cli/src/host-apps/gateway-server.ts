import { resolve } from 'node:path';
import { gatewayMarker, type HostStdioServer } from '@x/mcp-host-sync';
import type { Io } from '../io.js';
import type { ScopeChoice } from './host-place.js';

export interface GatewayOptions {
  readonly name: string;
  readonly role?: string | undefined;
  readonly config?: readonly string[] | undefined;
  readonly scope: ScopeChoice;
}

/**
 * One entry for all servers: `mcpx serve`. In a project's file it contains nothing of this machine, because the file is
 * shared; in a user's file it works with any PATH of the host app.
 */
export function gatewayServer({ name, role, config, scope }: GatewayOptions, io: Io): HostStdioServer {
  const [command = 'mcpx', ...before] =
    scope === 'project' ? ['npx', '-y', '@x/mcp-cli'] : (io.daemonPrograms?.command ?? ['mcpx']);
  const files = scope === 'project' ? (config ?? []) : (config ?? [io.cwd]).map((file) => resolve(io.cwd, file));
  const args = [
    ...before,
    'serve',
    ...files.flatMap((file) => ['--config', file]),
    ...(role === undefined ? [] : ['--role', role]),
  ];
  return { name, transport: 'stdio', command, args, env: { [gatewayMarker.env]: '1' } };
}
