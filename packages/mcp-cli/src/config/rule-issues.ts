import { isGatewayServer } from '@x/internal/launch';
import type { ConfigIssue } from '@x/mcp-config-schema';
import type { LoadedConfig } from '@x/mcp-config-schema/load';
import type { RegistryDiagnostic } from '@x/mcp-registry';
import type { Io } from '../command.js';
import { openStack } from '../compose.js';

interface RuleIssuesOptions {
  readonly config?: readonly string[] | undefined;
  /** Denials and entries of `ask_before` that match nothing are errors. Default `false`: warnings. */
  readonly strict?: boolean | undefined;
}

/**
 * Issues for role entries that match no stored tool, and for entries that match several servers. Starts no server.
 *
 * @throws {ConfigError} The config is missing or invalid.
 */
export async function ruleIssues(
  checked: Pick<LoadedConfig, 'servers' | 'issues'>,
  { config, strict = false }: RuleIssuesOptions,
  io: Io,
): Promise<readonly ConfigIssue[]> {
  // Named servers may start, so that their stored tools count.
  const servers = checked.servers.filter((server) => !isGatewayServer(server)).map(({ name }) => name);
  await using stack = await openStack({ config, servers }, io);
  const diagnostics = await stack.registry.diagnostics();
  const found = diagnostics.flatMap(
    (each) => toIssue(each, { strict, servers }) ?? toOverrideIssue(each, checked.servers, strict) ?? [],
  );
  return found.filter((issue) => !isReported(issue, checked.issues));
}

const keys = { allowedTools: 'allowed_tools', askBefore: 'ask_before', deniedTools: 'denied_tools' } as const;

interface IssueOptions {
  readonly strict: boolean;
  /** Names of configured servers. */
  readonly servers: readonly string[];
}

function toIssue(found: RegistryDiagnostic, { strict, servers }: IssueOptions): ConfigIssue | undefined {
  if (found.code !== 'rule-matches-nothing' && found.code !== 'ambiguous-rule') return undefined;
  const { list, pattern: rule, rule: written, role, message } = found;
  const { line = 1, column = 1, file } = written.source ?? {};
  const place = {
    message,
    path: ['tools', written.tool ?? '', 'role_restrictions', role, keys[list]],
    rule,
    line,
    column,
    ...(file !== undefined && { file }),
  };
  if (found.code === 'ambiguous-rule') {
    const hint = 'write public names, or mcp__<server>__* for all tools of a server';
    return { ...place, code: 'ambiguous-rule', severity: 'warning', hint, servers: found.servers };
  }
  const [nearest] = found.suggestions;
  const { server } = found;
  const listing = server !== undefined && servers.includes(server) ? `mcpx discover ${server}` : 'mcpx search "*"';
  return {
    ...place,
    code: 'rule-matches-nothing',
    // A server that has not listed its tools may have the tool.
    severity: strict && list !== 'allowedTools' && found.unlisted.length === 0 ? 'error' : 'warning',
    hint: nearest === undefined ? `to list the known tools, run: ${listing}` : `did you mean ${nearest}?`,
    suggestions: found.suggestions,
  };
}

/** At the server, whose file has the override. */
function toOverrideIssue(
  found: RegistryDiagnostic,
  servers: LoadedConfig['servers'],
  strict: boolean,
): ConfigIssue | undefined {
  if (found.code !== 'override-matches-nothing') return undefined;
  const { code, server, tool, suggestions, message } = found;
  const owner = servers.find(({ name }) => name === server);
  if (owner === undefined) return undefined;
  const [nearest] = suggestions;
  return {
    ...owner.source,
    code,
    severity: strict && owner.tools?.[tool]?.hidden ? 'error' : 'warning',
    message,
    path: ['mcp_servers', server, 'tools', tool],
    hint: nearest === undefined ? `to list its tools, run: mcpx discover ${server}` : `did you mean ${nearest}?`,
    server,
    tool,
    suggestions,
  };
}

/** True if the config's own check reports the entry's server as unknown. */
function isReported(issue: ConfigIssue, issues: readonly ConfigIssue[]): boolean {
  if (issue.code !== 'rule-matches-nothing') return false;
  return issues.some(
    (other) =>
      other.code === 'unknown-server' &&
      issue.path.every((key, index) => other.path[index] === key) &&
      issue.rule.includes(other.server),
  );
}
