import { type IsServer, readingsOf, readName, toolOwners } from '@x/internal/names';
import type { Config, RoleRule } from '@x/mcp-config-schema';
import { type HostServer, isGatewayServer } from '@x/mcp-host-sync';
import { compileRole } from '@x/mcp-registry/roles';
import { UsageError } from '../command.js';
import { requireRole } from '../config/role-view.js';
import { printableLine } from '../output/print.js';

interface RoleServers {
  /** Servers with a tool of the role, each with the role's lists. */
  readonly servers: readonly HostServer[];
  /** One line for each server that is left out although the role may use it. */
  readonly warnings: readonly string[];
}

/**
 * The servers of a config with the tools that a role may use, as lists for host apps. Never more than the role may use.
 *
 * @throws {UsageError} The config has no such role, or lists of tools cannot express its rules.
 */
export function serversOfRole({ servers, roles }: Pick<Config, 'servers' | 'roles'>, role: string): RoleServers {
  requireRole({ roles }, role);
  const names = servers.map(({ name }) => name);
  const rights = rightsOf(onlyRule(roles, role), names);
  const warnings: string[] = [];
  const written = servers.flatMap((server): readonly HostServer[] => {
    if (isGatewayServer(server)) return [];
    const found = listsOf(server, rights);
    if (found === undefined) return [];
    const { lists, unsure } = found;
    const reason = Object.keys(server.tools ?? {}).length > 0 ? CHANGED_TOOLS : unsure;
    if (reason === undefined) return [{ ...server, ...lists }];
    warnings.push(`${printableLine(server.name, 60)} is left out: ${reason}`);
    return [];
  });
  return { servers: written, warnings };
}

const CHANGED_TOOLS = 'the config renames, changes or hides some of its tools.';

function onlyRule(roles: Config['roles'], role: string): RoleRule {
  const rules = roles.filter((rule) => rule.role === role);
  const [rule] = rules;
  const beyond = [
    ...(rules.length > 1 ? ['several rules'] : []),
    ...((rule?.inherits ?? []).length > 0 ? ['inherits'] : []),
    ...((rule?.askBefore ?? []).length > 0 ? ['ask_before'] : []),
    ...(rule?.requiredAnnotations === undefined ? [] : ['required_annotations']),
  ];
  if (rule !== undefined && beyond.length === 0) return rule;
  throw new UsageError(`The role "${role}" has ${beyond.join(', ')}, which host apps cannot express.`, {
    hint: 'Write the gateway with the role instead: leave out --no-gateway.',
  });
}

type Covers = (server: string, tool: string) => boolean;

interface Rights {
  readonly rule: RoleRule;
  readonly isServer: IsServer;
  readonly mayUse: Covers;
  /** As `mayUse`, without the denials. */
  readonly isListed: Covers;
  /** True if the whole server is denied. */
  readonly isDenied: (server: string) => boolean;
}

/** The registry decides, which knows every reading of an entry. */
function rightsOf(rule: RoleRule, servers: readonly string[]): Rights {
  const names = new Set(servers);
  const policy = compileRole([rule], rule.role, servers);
  return {
    rule,
    isServer: (name) => names.has(name),
    mayUse: (server, tool) => policy({ server, tool }).isAllowed,
    isListed: covers(rule.allowedTools, servers),
    isDenied(server) {
      const decision = policy({ kind: 'server', server });
      return !decision.isAllowed && decision.reason === 'denied';
    },
  };
}

function covers(allowedTools: readonly string[], servers: readonly string[]): Covers {
  const policy = compileRole([{ role: 'listed', allowedTools }], 'listed', servers);
  return (server, tool) => policy({ server, tool }).isAllowed;
}

interface OwnLists {
  readonly lists: Pick<HostServer, 'allowedTools' | 'deniedTools'>;
  /** Why the lists may allow too much. */
  readonly unsure?: string | undefined;
}

/** `undefined`: the role may use no tool of the server. */
function listsOf(
  { name, allowedTools: own, deniedTools = [] }: Config['servers'][number],
  rights: Rights,
): OwnLists | undefined {
  const ofRole = rights.isDenied(name) ? [] : allowedOn(name, rights);
  if (ofRole.length === 0) return undefined;
  const entries = own === undefined ? ofRole : [...ofRole, ...own];
  const isOwn = own === undefined ? () => true : covers(qualified(name, own), [name]);
  const tools = entries.filter((tool) => !isPattern(tool) && rights.mayUse(name, tool) && isOwn(name, tool));
  const patterns = common(ofRole.filter(isPattern), own?.filter(isPattern));
  if (patterns.length === 0) return { lists: { allowedTools: unique(tools), deniedTools } };

  const { rule, isListed } = rights;
  const unlisted = rule.deniedTools?.find((entry) => isPattern(entry) || mayBeDigest(entry, name));
  const unsure =
    unlisted && `${printableLine(unlisted, 60)} may deny some of its tools, which are not known here. ${ADVICE}`;
  const denied = deniedNames(name, rule).filter((tool) => isListed(name, tool));
  const allowedTools = unique([...patterns, ...tools]);
  return { lists: { allowedTools, deniedTools: unique([...deniedTools, ...denied]) }, unsure };
}

const ADVICE = 'List the allowed tools by name, or leave out --no-gateway.';

/** The server's own tool names and patterns of them. `*` alone: all. */
function allowedOn(server: string, { rule, isServer }: Rights): readonly string[] {
  return rule.allowedTools.flatMap((entry) => {
    const reading = readName(entry, isServer);
    return reading?.server === server ? [reading.part ?? '*'] : [];
  });
}

/** Own names that denials without `*` mean on a server, in every reading. */
function deniedNames(server: string, { deniedTools = [] }: RoleRule): readonly string[] {
  return deniedTools.flatMap((entry) => {
    const parts = Array.from(readingsOf(entry), (reading) => (reading.server === server ? (reading.part ?? '') : ''));
    return [entry, ...parts].filter((tool) => tool !== '');
  });
}

/** True for a public name that does not contain the tool's own name. */
function mayBeDigest(entry: string, server: string): boolean {
  return toolOwners(entry, [server]).some(({ tool }) => tool === undefined);
}

/** Patterns that both lists have. */
function common(one: readonly string[], other: readonly string[] | undefined): readonly string[] {
  if (other === undefined || other.includes('*')) return one;
  if (one.includes('*')) return other;
  return one.filter((pattern) => other.includes(pattern));
}

function qualified(server: string, tools: readonly string[]): readonly string[] {
  return tools.map((tool) => `${server}.${tool}`);
}

function isPattern(tool: string): boolean {
  return tool.includes('*');
}

function unique(tools: readonly string[]): readonly string[] {
  return [...new Set(tools)];
}
