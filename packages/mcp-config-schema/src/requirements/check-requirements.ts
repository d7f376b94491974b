import type { Config, RequirementTier, ServerConfig, ToolConfig } from '../config.js';
import { hintToConfigure, hintToInstall } from './install-hint.js';

/** What is known of a server beyond its configuration. What is left out is not judged. */
export interface ServerFacts {
  /** Its program is on this machine. Does not count for a server that runs, or is reached by URL. */
  readonly installed?: boolean | undefined;
  readonly running?: boolean | undefined;
  readonly healthy?: boolean | undefined;
}

/**
 * - `blocked`: something required is missing.
 * - `degraded`: everything required is there, something recommended is missing.
 * - `ready`: neither; what is optional never counts.
 */
export type Readiness = 'ready' | 'degraded' | 'blocked';

/** How far the tools can be used with the servers there are. */
export interface RequirementReport {
  /** The worst of all tools; `ready` when there are none. */
  readonly readiness: Readiness;
  readonly tools: readonly ToolReadiness[];
}

/** How far one tool can be used, and the servers that it asks for by tier. */
export interface ToolReadiness extends Readonly<Record<RequirementTier, readonly Requirement[]>> {
  readonly tool: string;
  readonly readiness: Readiness;
}

/** One server that a tool asks for. */
export interface Requirement {
  readonly server: string;
  /** True for the statuses `ready` and `configured`. */
  readonly satisfied: boolean;
  readonly status: RequirementStatus;
  /** How to get the server, when it is not configured or not installed. */
  readonly installHint?: string | undefined;
}

/** `configured` says that nothing more is known; `ready`, that the server is known to run. */
export type RequirementStatus =
  | 'ready'
  | 'configured'
  | 'not-configured'
  | 'not-installed'
  | 'not-running'
  | 'unhealthy';

/**
 * Holds what the tools ask for against what there is.
 *
 * @param facts - By the server's name. A server without facts is satisfied by being configured, unless it is `disabled`.
 */
export function checkRequirements(
  config: Pick<Config, 'servers' | 'tools'>,
  facts: Readonly<Record<string, ServerFacts>> = {},
): RequirementReport {
  const servers = new Map(config.servers.map((server) => [server.name, server]));
  const judge = (name: string): Requirement => {
    const server = servers.get(name);
    const status = statusOf(server, Object.hasOwn(facts, name) ? facts[name] : undefined);
    const satisfied = status === 'ready' || status === 'configured';
    const installHint = installHintFor(name, server, status);
    return { server: name, satisfied, status, ...(installHint === undefined ? {} : { installHint }) };
  };
  const tools = config.tools.map((tool) => judgeTool(tool, judge));
  return { readiness: worstOf(tools.map((tool) => tool.readiness)), tools };
}

function judgeTool({ name, mcpTools }: ToolConfig, judge: (server: string) => Requirement): ToolReadiness {
  const required = mcpTools.required.map(judge);
  const recommended = mcpTools.recommended.map(judge);
  const readiness = required.some(isMissing) ? 'blocked' : recommended.some(isMissing) ? 'degraded' : 'ready';
  return { tool: name, readiness, required, recommended, optional: mcpTools.optional.map(judge) };
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
