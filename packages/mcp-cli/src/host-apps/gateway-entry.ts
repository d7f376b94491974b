import { resolve, sep } from 'node:path';
import { relativeInside } from '@x/internal/files';
import { gatewayMarker, type HostStdioServer } from '@x/mcp-host-sync';
import { type Io, UsageError } from '../command.js';
import type { ScopeChoice } from './hosts.js';
import { launcherPath, npxPackage } from './launcher.js';

interface GatewayOptions {
  readonly name: string;
  readonly role?: string | undefined;
  readonly config?: readonly string[] | undefined;
  readonly scope: ScopeChoice;
}

/**
 * One entry for all servers: `mcpx serve`. In a project's file it contains nothing of this machine, because the file is
 * shared; in a user's file it outlives updates and works with any PATH of the host app.
 *
 * @throws {UsageError} The file of a project would name a file outside of the project.
 */
export function gatewayEntry(options: GatewayOptions, io: Io): HostStdioServer {
  const { name, role, scope } = options;
  const [command = 'mcpx', ...before] = scope === 'project' ? ['npx', '-y', npxPackage] : userCommand(io);
  const files = scope === 'project' ? filesInProject(options, io) : filesForUser(options, io);
  const args = [
    ...before,
    'serve',
    ...files.flatMap((file) => ['--config', file]),
    ...(role === undefined ? [] : ['--role', role]),
  ];
  return {
    name,
    transport: 'stdio',
    command: asLiteral(command),
    args: args.map(asLiteral),
    env: { [gatewayMarker.env]: '1' },
  };
}

/** A directory may be named `${A}`, which is no variable. */
function asLiteral(text: string): string {
  return text.replaceAll('${', '$$${');
}

/** A program that embeds the command line has no launcher. */
function userCommand({ daemonPrograms, stateDirectory }: Io): readonly string[] {
  const isInstalled = stateDirectory !== undefined && daemonPrograms !== undefined;
  return isInstalled ? [launcherPath(stateDirectory)] : ['mcpx'];
}

function filesForUser({ config = [] }: GatewayOptions, { cwd }: Io): readonly string[] {
  return config.length > 0 ? config.map((file) => resolve(cwd, file)) : [cwd];
}

function filesInProject({ config = [] }: GatewayOptions, { cwd }: Io): readonly string[] {
  return config.map((file) => {
    const inside = relativeInside(resolve(cwd, file), cwd);
    if (inside !== undefined) return inside === '' ? '.' : inside.split(sep).join('/');
    throw new UsageError(`${file} is outside of the project, so that a file of the project cannot name it.`, {
      hint: 'Other machines do not have that path. Name a file of the project, or write to your own files with --scope user.',
    });
  });
}
