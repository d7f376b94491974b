import { refusePromise } from '@x/internal/options';
import type { Config, RequirementTier, ServerConfig, ToolConfig } from './config.js';

/** State of a server. Missing fields are not evaluated. */
export interface ServerFacts {
  /** The program is installed. Ignored for servers that run or have a URL. */
  readonly installed?: boolean | undefined;
  readonly running?: boolean | undefined;
  readonly healthy?: boolean | undefined;
}

/**
 * - `blocked`: a required server is missing.
 * - `degraded`: a recommended server is missing.
 * - `ready`: all required and recommended servers are available.
 */
export type Readiness = 'ready' | 'degraded' | 'blocked';

/** Readiness of all tools. */
export interface RequirementReport {
  /** The worst of all tools; `ready` without tools. */
  readonly readiness: Readiness;
  readonly tools: readonly ToolReadiness[];
}

/** A tool, with the state of its required servers. */
export interface ToolReadiness extends Readonly<Record<RequirementTier, readonly Requirement[]>> {
  readonly tool: string;
  readonly readiness: Readiness;
}

/** A server that a tool requires, with its state. */
export interface Requirement {
  readonly server: string;
  /** True for the statuses `ready` and `configured`. */
  readonly satisfied: boolean;
  readonly status: RequirementStatus;
  /** Instructions for a server that is not configured or not installed. */
  readonly installHint?: string | undefined;
}

/** `configured`: nothing else is known; `ready`: the server runs. */
export type RequirementStatus =
  | 'ready'
  | 'configured'
  | 'not-configured'
  | 'not-installed'
  | 'not-running'
  | 'unhealthy';

/**
 * Compares the servers that tools use with the configured ones.
 *
 * @param facts - By server name. Without facts, a configured server is satisfied unless `disabled`.
 */
export function checkRequirements(
  config: Pick<Config, 'servers' | 'tools'>,
  facts: Readonly<Record<string, ServerFacts>> = {},
): RequirementReport {
  refusePromise('The config', config);
  const servers = new Map(config.servers.map((server) => [server.name, server]));
  const checkServer = (name: string): Requirement => {
    const server = servers.get(name);
    const status = statusOf(server, Object.hasOwn(facts, name) ? facts[name] : undefined);
    const satisfied = status === 'ready' || status === 'configured';
    const installHint = installHintFor(name, server, status);
    return { server: name, satisfied, status, ...(installHint === undefined ? {} : { installHint }) };
  };
  const tools = config.tools.map((tool) => checkTool(tool, checkServer));
  return { readiness: worstOf(tools.map((tool) => tool.readiness)), tools };
}

function checkTool({ name, mcpTools }: ToolConfig, checkServer: (server: string) => Requirement): ToolReadiness {
  const required = mcpTools.required.map(checkServer);
  const recommended = mcpTools.recommended.map(checkServer);
  const readiness = required.some(isMissing) ? 'blocked' : recommended.some(isMissing) ? 'degraded' : 'ready';
  return { tool: name, readiness, required, recommended, optional: mcpTools.optional.map(checkServer) };
}

function isMissing(requirement: Requirement): boolean {
  return !requirement.satisfied;
}

function worstOf(all: readonly Readiness[]): Readiness {
  return all.includes('blocked') ? 'blocked' : all.includes('degraded') ? 'degraded' : 'ready';
}

function statusOf(server: ServerConfig | undefined, facts: ServerFacts = {}): RequirementStatus {
  if (server === undefined) return 'not-configured';
  const runs = facts.running ?? facts.healthy === true;
  if (facts.installed === false && server.transport === 'stdio' && !runs) return 'not-installed';
  if (facts.running === false || server.disabled) return 'not-running';
  if (facts.healthy === false) return 'unhealthy';
  return facts.running === true || facts.healthy === true ? 'ready' : 'configured';
}

function installHintFor(name: string, server: ServerConfig | undefined, status: RequirementStatus): string | undefined {
  if (server === undefined) return hintToConfigure(name);
  return status === 'not-installed' ? hintToInstall(server) : undefined;
}

function hintToConfigure(name: string): string {
  return `add ${name} to mcp_servers in mcp_servers.yaml, with the command that starts it`;
}

/** `undefined` for a remote server. */
function hintToInstall(server: ServerConfig): string | undefined {
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
