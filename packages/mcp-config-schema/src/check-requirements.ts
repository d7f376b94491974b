import { installHint } from '@x/internal/launch';
import { refusePromise } from '@x/internal/options';
import type { Config, RequirementTier, ServerConfig, ToolConfig } from './config.js';

/** State of a server. Missing fields are not evaluated. */
export interface ServerFacts {
  /** The program is installed. Ignored for servers that run or have a URL. */
  readonly installed?: boolean | undefined;
  /** Instructions for a missing program. Default: by the command and the package. */
  readonly installHint?: string | undefined;
  /** The package is on this machine. If not, the first start downloads it, so the server counts as available. */
  readonly downloaded?: boolean | undefined;
  readonly running?: boolean | undefined;
  readonly healthy?: boolean | undefined;
}

/**
 * - `blocked`: a required server is missing.
 * - `degraded`: a recommended server is missing.
 * - `configured`: all required and recommended servers are configured, and nothing else is known of some.
 * - `ready`: all required and recommended servers are available.
 */
export type Readiness = 'ready' | 'configured' | 'degraded' | 'blocked';

/** Readiness of all tools. */
export interface RequirementReport {
  /** The worst of all tools; `ready` without tools. */
  readonly readiness: Readiness;
  readonly tools: readonly ToolReadiness[];
  /** Configured servers that no tool lists. Empty if no tool lists any server. */
  readonly undeclared: readonly string[];
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
  /** Instructions for a server that is not configured, not set up, not installed or not downloaded. */
  readonly installHint?: string | undefined;
}

/** `configured`: nothing else is known; `ready`: the server runs; `not-set-up`: its entry has unset variables. */
export type RequirementStatus =
  | 'ready'
  | 'configured'
  | 'not-configured'
  | 'not-set-up'
  | 'not-installed'
  | 'not-running'
  | 'unhealthy';

/**
 * Compares the servers that tools use with the configured ones.
 *
 * @param facts - By server name. A configured server without facts is satisfied unless `disabled`; a tool that needs it
 *   is then `configured`, not `ready`.
 */
export function checkRequirements(
  config: Pick<Config, 'servers' | 'tools'>,
  facts: Readonly<Record<string, ServerFacts>> = {},
): RequirementReport {
  refusePromise('The config', config);
  const servers = new Map(config.servers.map((server) => [server.name, server]));
  const factsOf = (name: string): ServerFacts | undefined => (Object.hasOwn(facts, name) ? facts[name] : undefined);
  const checkServer = (name: string): Requirement => {
    const server = servers.get(name);
    const status = statusOf(server, factsOf(name));
    const satisfied = status === 'ready' || status === 'configured';
    const hint = hintFor(name, server, status, factsOf(name));
    return { server: name, satisfied, status, ...(hint === undefined ? {} : { installHint: hint }) };
  };
  const isUnknown = ({ server }: Requirement): boolean => factsOf(server) === undefined;
  const tools = config.tools.map((tool) => checkTool(tool, checkServer, isUnknown));
  const readiness = worstFirst.find((each) => tools.some((tool) => tool.readiness === each)) ?? 'ready';
  return { readiness, tools, undeclared: undeclaredIn(config) };
}

const worstFirst: readonly Readiness[] = ['blocked', 'degraded', 'configured'];

function checkTool(
  { name, mcpTools }: ToolConfig,
  checkServer: (server: string) => Requirement,
  isUnknown: (requirement: Requirement) => boolean,
): ToolReadiness {
  const required = mcpTools.required.map(checkServer);
  const recommended = mcpTools.recommended.map(checkServer);
  const available = [...required, ...recommended].some(isUnknown) ? 'configured' : 'ready';
  const readiness = required.some(isMissing) ? 'blocked' : recommended.some(isMissing) ? 'degraded' : available;
  return { tool: name, readiness, required, recommended, optional: mcpTools.optional.map(checkServer) };
}

function undeclaredIn({ servers, tools }: Pick<Config, 'servers' | 'tools'>): readonly string[] {
  const declared = new Set(tools.flatMap(({ mcpTools }) => Object.values(mcpTools).flat()));
  return declared.size === 0 ? [] : servers.map(({ name }) => name).filter((name) => !declared.has(name));
}

function isMissing(requirement: Requirement): boolean {
  return !requirement.satisfied;
}

function statusOf(server: ServerConfig | undefined, facts: ServerFacts = {}): RequirementStatus {
  if (server === undefined) return 'not-configured';
  if (server.unsetVariables !== undefined && !server.disabled) return 'not-set-up';
  const runs = facts.running ?? facts.healthy === true;
  if (facts.installed === false && server.transport === 'stdio' && !runs) return 'not-installed';
  if (facts.running === false || server.disabled) return 'not-running';
  if (facts.healthy === false) return 'unhealthy';
  return facts.running === true || facts.healthy === true ? 'ready' : 'configured';
}

function hintFor(
  name: string,
  server: ServerConfig | undefined,
  status: RequirementStatus,
  facts: ServerFacts = {},
): string | undefined {
  if (server === undefined) return hintToConfigure(name);
  if (status === 'not-set-up') return `set ${server.unsetVariables?.join(', ')}`;
  if (server.transport === 'http') return undefined;
  if (status === 'not-installed') return facts.installHint ?? installHint(server);
  if (status !== 'configured' || facts.downloaded !== false || server.package === undefined) return undefined;
  return `npm install -g ${server.package}; otherwise the first start downloads it`;
}

function hintToConfigure(name: string): string {
  return `add ${name} to mcp_servers in mcp_servers.yaml, with the command that starts it`;
}
