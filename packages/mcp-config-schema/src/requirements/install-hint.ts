import type { ServerConfig } from '../config.js';

export function hintToConfigure(name: string): string {
  return `add ${name} to mcp_servers in mcp_servers.yaml, with the command that starts it`;
}

/** Instructions for a configured server that is not installed; `undefined` for a remote one. */
export function hintToInstall(server: ServerConfig): string | undefined {
  if (server.transport === 'http') return undefined;
  const program = server.command.replace(/^.*[/\\]/, '').replace(/\.(cmd|exe)$/i, '');
  const runner = runners.get(program);
  if (server.package !== undefined) return `${runner?.install ?? 'npm install -g'} ${server.package}`;
  if (runner !== undefined) return `install ${runner.comesWith}, which has ${program}`;
  return `install ${server.command}, or correct the command of ${server.name}`;
}

interface Runner {
  readonly install: string;
  readonly comesWith: string;
}

const node: Runner = { install: 'npm install -g', comesWith: 'Node.js' };
const bun: Runner = { install: 'bun add -g', comesWith: 'Bun' };
const uv: Runner = { install: 'uv tool install', comesWith: 'uv' };

const runners: ReadonlyMap<string, Runner> = new Map([
  ['npx', node],
  ['npm', node],
  ['bunx', bun],
  ['bun', bun],
  ['uvx', uv],
  ['uv', uv],
  ['pipx', { install: 'pipx install', comesWith: 'pipx' }],
]);
