import type { ServerConfig } from '../config.js';

/** How to get a server that nobody configures. */
export function hintToConfigure(name: string): string {
  return `add ${name} to mcp_servers in mcp_servers.yaml, with the command that starts it`;
}

/** How to get a server that is configured and not on this machine; `undefined` for one that runs elsewhere. */
export function hintToInstall(server: ServerConfig): string | undefined {
  if (server.transport === 'http') return undefined;
  const program = server.command.replace(/^.*[/\\]/, '').replace(/\.(cmd|exe)$/i, '');
  const runner = runners.get(program);
  if (server.package !== undefined) return `${runner?.install ?? 'npm install -g'} ${server.package}`;
  if (runner !== undefined) return `install ${runner.comesWith}, which has ${program}`;
  return `install ${server.command}, or correct the command of ${server.name}`;
}

/** Programs that fetch what they run: how to install such a package for good, and what brings the program. */
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
