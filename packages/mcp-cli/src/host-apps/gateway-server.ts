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
 * One entry that stands for all servers: `mcpx serve`. In the file of a project it says nothing of this machine, since
 * everybody who works on the project has that file; in a file of the user it works whatever PATH the host app has.
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
