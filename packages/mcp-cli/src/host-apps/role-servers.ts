import { readName } from '@x/internal/names';
import type { Config, RoleRule } from '@x/mcp-config-schema';
import type { HostServer } from '@x/mcp-host-sync';
import { UsageError } from '../command.js';
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
 * @throws {UsageError} The role has rules that lists of tools cannot express.
 */
export function serversOfRole({ servers, roles }: Pick<Config, 'servers' | 'roles'>, role: string): RoleServers {
  const rule = onlyRule(roles, role);
  const names = new Set(servers.map(({ name }) => name));
  const warnings: string[] = [];
  const written = servers.flatMap((server): readonly HostServer[] => {
    const allowed = allowedOn(server.name, rule, names);
    if (allowed.length === 0) return [];
    if (Object.keys(server.tools ?? {}).length > 0) {
      warnings.push(
        `${printableLine(server.name, 60)} is left out: the config renames, changes or hides some of its tools.`,
      );
      return [];
    }
    const own = server.allowedTools;
    return [
      {
        ...server,
        allowedTools: own === undefined ? allowed : common(allowed, own),
        deniedTools: [...new Set([...(server.deniedTools ?? []), ...deniedOn(server.name, rule, names)])],
      },
    ];
  });
  return { servers: written, warnings };
}

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

/** Patterns of the server's own tool names. `*` alone: all. */
function allowedOn(server: string, { allowedTools }: RoleRule, names: ReadonlySet<string>): readonly string[] {
  const parts = allowedTools.flatMap((entry) => {
    const reading = readName(entry, (name) => names.has(name));
    return reading?.server === server ? [reading.part ?? '*'] : [];
  });
  return parts.includes('*') ? ['*'] : [...new Set(parts)];
}

/** Denials of the server, and those that may mean any server: an entry without a known server, read in every way. */
function deniedOn(server: string, { deniedTools = [] }: RoleRule, names: ReadonlySet<string>): readonly string[] {
  return deniedTools.flatMap((entry) => {
    const reading = readName(entry, (name) => names.has(name));
    if (reading !== undefined) return reading.server === server ? [reading.part ?? '*'] : [];
    const ends = Array.from(entry.matchAll(/[./]|__/g), ({ index, 0: separator }) =>
      entry.slice(index + separator.length),
    );
    return [entry, ...ends].filter((part) => part !== '');
  });
}

/** Names that both lists allow. Of two patterns, only equal ones. */
function common(one: readonly string[], other: readonly string[]): readonly string[] {
  if (one.includes('*')) return other;
  if (other.includes('*')) return one;
  const among = (names: readonly string[], patterns: readonly string[]) =>
    names.filter(
      (name) => patterns.includes(name) || (!name.includes('*') && patterns.some((pattern) => fits(pattern, name))),
    );
  return [...new Set([...among(one, other), ...among(other, one)])];
}

function fits(pattern: string, name: string): boolean {
  const pieces = pattern.split('*').map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pieces.join('.*')}$`, 's').test(name);
}
