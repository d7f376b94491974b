import { SOURCE_PREFIX } from '@x/internal/names';
import { quote, type RegistryDiagnostic } from '../catalog/diagnostics.js';
import { nearestNames } from '../catalog/nearest-names.js';
import { BUILT_IN_TOOLS, type ToolIdentity } from '../catalog/public-name.js';
import type { ToolView } from '../catalog/tool-view.js';
import { describePlace } from './explain-role.js';
import type { RoleRule, RoleRules } from './role-rule.js';
import { DenyPatterns, matchesTool } from './tool-pattern.js';

/** What there is that rules may mean. */
export interface RuleSubjects {
  /** Every tool that was listed, held back or not. */
  readonly tools: readonly ToolView[];
  /** Every server that is attached. */
  readonly servers: readonly string[];
}

type UnmatchedRule = Extract<RegistryDiagnostic, { readonly code: 'rule-matches-nothing' }>;

/**
 * The entries of `allowedTools` and `deniedTools` that match no tool, as far as that is certain: the server that an entry
 * names has listed its tools; or, where it names none, every server has.
 */
export function findUnmatched(rules: RoleRules, subjects: RuleSubjects): readonly UnmatchedRule[] {
  const known = new KnownSubjects(subjects);
  return rules.flatMap((rule) =>
    (['deniedTools', 'allowedTools'] as const).flatMap((list) =>
      (rule[list] ?? []).flatMap((pattern) => known.unmatched(rule, list, pattern, rules) ?? []),
    ),
  );
}

class KnownSubjects {
  readonly #subjects: RuleSubjects;
  readonly #listed: ReadonlySet<string>;

  constructor(subjects: RuleSubjects) {
    this.#subjects = subjects;
    this.#listed = new Set(subjects.tools.flatMap(({ server }) => server ?? []));
  }

  unmatched(rule: RoleRule, list: UnmatchedRule['list'], pattern: string, rules: RoleRules): UnmatchedRule | undefined {
    const { tools, servers } = this.#subjects;
    if (servers.length === 0 || servers.includes(pattern) || BUILT_IN_TOOLS.has(pattern)) return undefined;
    const isMatch = list === 'deniedTools' ? denies(pattern) : (tool: ToolIdentity) => matchesTool(pattern, tool);
    if (tools.some(isMatch)) return undefined;

    const named = servers.filter((server) => names(pattern, server));
    const namesNone = !/[./]/.test(pattern) && !pattern.startsWith(SOURCE_PREFIX);
    const isOfAny = namesNone || (list === 'deniedTools' && pattern.includes('*'));
    if (named.length === 0 && !isOfAny) return undefined; // another server's, which is not attached
    const asked = named.length > 0 ? named : servers;
    if (!asked.every((server) => this.#listed.has(server))) return undefined;

    const ofThem = tools.filter(({ server }) => server !== undefined && asked.includes(server));
    const wanted = named[0] === undefined ? pattern : ownPart(pattern, named[0]);
    const suggestions = nearestNames(wanted, ofThem);
    const place = describePlace(rule, rules);
    const key = list === 'deniedTools' ? 'denies' : 'allows';
    const where =
      named.length > 0
        ? `the ${ofThem.length} tools of ${named.map(quote).join(' and ')}`
        : `${ofThem.length} known tools`;
    const near = suggestions.length > 0 ? `; near: ${suggestions.join(', ')}` : '';
    const message = `The role ${quote(rule.role)} ${key} ${quote(pattern)} at ${place}, which matches none of ${where}${near}`;
    const { role } = rule;
    return { code: 'rule-matches-nothing', server: named[0], role, list, pattern, rule, suggestions, message };
  }
}

function denies(pattern: string): (tool: ToolIdentity) => boolean {
  const patterns = new DenyPatterns([pattern]);
  return (tool) => patterns.find(tool) !== undefined;
}

function prefixesOf(server: string): readonly string[] {
  return [`${server}.`, `${server}/`, `${SOURCE_PREFIX}${server}__`];
}

function names(pattern: string, server: string): boolean {
  return prefixesOf(server).some((prefix) => pattern.startsWith(prefix));
}

function ownPart(pattern: string, server: string): string {
  const prefix = prefixesOf(server).find((each) => pattern.startsWith(each)) ?? '';
  return pattern.slice(prefix.length).replaceAll('*', '');
}
