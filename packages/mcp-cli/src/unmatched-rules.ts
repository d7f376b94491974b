import type { ConfigIssue } from '@x/mcp-config-schema';
import { openStack } from './compose.js';
import type { Io } from './io.js';

export interface UnmatchedRulesOptions {
  readonly config?: readonly string[] | undefined;
  /** Denials are errors. Default `false`: warnings. */
  readonly strict?: boolean | undefined;
}

/**
 * Entries of roles that match none of the tools that servers listed when they ran last, as issues at the place of their role.
 * Starts no server.
 *
 * @throws {ConfigError} The config is missing or wrong.
 */
export async function unmatchedRules(
  { config, strict = false }: UnmatchedRulesOptions,
  io: Io,
): Promise<readonly ConfigIssue[]> {
  await using stack = await openStack({ config }, io);
  return stack.registry.diagnostics().flatMap((found): readonly ConfigIssue[] => {
    if (found.code !== 'rule-matches-nothing') return [];
    const { list, pattern: rule, rule: written, suggestions, role, message } = found;
    const { line = 1, column = 1, file } = written.source ?? {};
    const isDenial = list === 'deniedTools';
    return [
      {
        code: 'rule-matches-nothing',
        severity: strict && isDenial ? 'error' : 'warning',
        message,
        path: ['tools', written.tool ?? '', 'role_restrictions', role, isDenial ? 'denied_tools' : 'allowed_tools'],
        hint:
          suggestions[0] === undefined ? 'see "mcpx search --server" for its tools' : `did you mean ${suggestions[0]}?`,
        rule,
        suggestions,
        line,
        column,
        ...(file !== undefined && { file }),
      },
    ];
  });
}
