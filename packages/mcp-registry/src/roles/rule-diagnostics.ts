import {
  BUILT_IN_TOOLS,
  type IsServer,
  isFleetName,
  type NameReading,
  nearestName,
  readingsOf,
  readName,
  SOURCE_PREFIX,
} from '@x/internal/names';
import { quote } from '@x/internal/text';
import type { ToolIdentity, ToolView } from '@x/internal/views';
import type { RegistryDiagnostic } from '../catalog/diagnostics.js';
import { nearestNames } from '../catalog/nearest-names.js';
import { describePlace } from './explain-role.js';
import { orderInheritance } from './inheritance.js';
import { DESTRUCTIVE, type RoleRule, type RoleRules } from './role-rule.js';
import { DenyPatterns, fitsTool, matchesTool } from './tool-pattern.js';

const LISTS = ['deniedTools', 'askBefore', 'allowedTools'] as const;

export interface RuleSubjects {
  readonly tools: readonly ToolView[];
  readonly servers: readonly string[];
  /** True once a server has listed its tools, even if there are none. */
  readonly hasListed: (server: string) => boolean;
  readonly isServer: IsServer;
}

type UnmatchedRule = Extract<RegistryDiagnostic, { readonly code: 'rule-matches-nothing' }>;

/**
 * Entries that match no tool. An entry with a server is judged once that server has listed its tools; without one, an
 * allowance once all servers have, a denial once any has.
 */
export function findUnmatched(rules: RoleRules, subjects: RuleSubjects): readonly UnmatchedRule[] {
  return entriesOf(rules).flatMap((entry) => {
    const found = judge(entry.list, entry.pattern, subjects);
    return found ? [toDiagnostic(found, entry, rules)] : [];
  });
}

/** An entry of a list of a rule. */
interface Entry {
  readonly rule: RoleRule;
  readonly list: (typeof LISTS)[number];
  readonly pattern: string;
}

function entriesOf(rules: RoleRules): readonly Entry[] {
  return rules.flatMap((rule) =>
    LISTS.flatMap((list) => (rule[list] ?? []).map((pattern) => ({ rule, list, pattern }))),
  );
}

interface Unmatched {
  readonly server?: string | undefined;
  /** Completes the sentence "which …". */
  readonly fact: string;
  readonly unlisted?: readonly string[];
  readonly suggestions: readonly string[];
}

function judge(list: UnmatchedRule['list'], pattern: string, subjects: RuleSubjects): Unmatched | undefined {
  const { tools, servers, isServer } = subjects;
  const readings = Array.from(readingsOf(pattern)).filter(({ server }) => !server.includes('*') || isServer(server));
  if (list === 'allowedTools' && readings.length === 0) {
    const fact = 'allows nothing: name each server, "*" stands for none';
    return { fact, suggestions: servers.slice(0, MAX_SHOWN_SERVERS) };
  }
  if (list === 'askBefore' && pattern === DESTRUCTIVE) return undefined;
  if (servers.length === 0 || isServer(pattern) || BUILT_IN_TOOLS.has(pattern)) return undefined;
  if (tools.some(matcherOf(list, pattern, isServer))) return undefined;
  const known = readName(pattern, isServer);
  if (known !== undefined) return judgeNamed(list, pattern, known, subjects);
  if (readings.some(({ server }) => isFleetName(server))) return undefined; // another node has it, or will
  const named = serverWritten(pattern, readings);
  if (named === undefined) return judgeBare(list, pattern, subjects);
  // Allowances may refer to a server that is attached later.
  if (list === 'allowedTools') return undefined;
  return { fact: 'names no known server', suggestions: suggestElsewhere(pattern, named, subjects) };
}

/** A denial applies to every fitting server. */
function judgeNamed(
  list: UnmatchedRule['list'],
  pattern: string,
  { server, part = '' }: NameReading,
  { tools, hasListed, isServer }: RuleSubjects,
): Unmatched | undefined {
  const fitting = Array.from(readingsOf(pattern), (reading) => reading.server).filter(isServer);
  const judged = list === 'allowedTools' ? [server] : Array.from(new Set(fitting));
  if (!judged.every(hasListed)) return undefined;
  const ofThem = tools.filter((tool) => tool.server !== undefined && judged.includes(tool.server));
  const suggestions = nearestNames(part.replaceAll('*', ''), ofThem);
  const fact = `matches none of the ${ofThem.length} tools of ${judged.map(quote).join(' and ')}`;
  return { server, fact, suggestions };
}

function judgeBare(
  list: UnmatchedRule['list'],
  pattern: string,
  { tools, servers, hasListed }: RuleSubjects,
): Unmatched | undefined {
  const unlisted = servers.filter((server) => !hasListed(server));
  const isCertain =
    list === 'allowedTools' ? isOwnName(pattern) && unlisted.length === 0 : unlisted.length < servers.length;
  if (!isCertain) return undefined;
  const ofServers = tools.filter(({ server }) => server !== undefined);
  const fact = `matches none of ${ofServers.length} known tools`;
  return { fact, unlisted, suggestions: nearestNames(pattern, ofServers) };
}

/** True if the entry can be a tool's own name. */
function isOwnName(pattern: string): boolean {
  return !/[./]/.test(pattern) && !pattern.startsWith(SOURCE_PREFIX);
}

/** The shortest server name that the entry may begin with. */
function serverWritten(pattern: string, readings: readonly NameReading[]): NameReading | undefined {
  const written = readings.findLast(({ part }) => part !== undefined);
  if (written !== undefined || pattern.includes('*') || !pattern.startsWith(SOURCE_PREFIX)) return written;
  return { server: pattern.slice(SOURCE_PREFIX.length), part: undefined };
}

function suggestElsewhere(
  pattern: string,
  { server, part = '' }: NameReading,
  subjects: RuleSubjects,
): readonly string[] {
  const { tools, servers } = subjects;
  const meant = nearestName(server, servers);
  const text = part.replaceAll('*', '');
  const near = nearestNames(
    text,
    tools.filter((tool) => tool.server === meant),
  );
  return near.length > 0 ? near : nearestNames(pattern, tools);
}

function matcherOf(list: UnmatchedRule['list'], pattern: string, isServer: IsServer): (tool: ToolIdentity) => boolean {
  if (list === 'allowedTools') return (tool) => matchesTool(pattern, tool, isServer);
  const patterns = new DenyPatterns([pattern]);
  return (tool) => patterns.find(tool) !== undefined;
}

const MAX_SHOWN_SERVERS = 3;
const VERBS = { allowedTools: 'allows', askBefore: 'asks before', deniedTools: 'denies' } as const;

function toDiagnostic(
  { server, fact, unlisted = [], suggestions }: Unmatched,
  { rule, list, pattern }: Entry,
  rules: RoleRules,
): UnmatchedRule {
  const { role } = rule;
  const near = suggestions.length > 0 ? `; near: ${suggestions.join(', ')}` : '';
  const names = unlisted.slice(0, MAX_SHOWN_SERVERS).map(quote).join(', ');
  const more = unlisted.length > MAX_SHOWN_SERVERS ? ` and ${unlisted.length - MAX_SHOWN_SERVERS} more` : '';
  const open = unlisted.length === 0 ? '' : `; not listed yet: ${names}${more}`;
  const place = describePlace(rule, rules);
  const message = `The role ${quote(role)} ${VERBS[list]} ${quote(pattern)} at ${place}, which ${fact}${near}${open}`;
  return { code: 'rule-matches-nothing', server, role, list, pattern, rule, suggestions, unlisted, message };
}

type AmbiguousRule = Extract<RegistryDiagnostic, { readonly code: 'ambiguous-rule' }>;

/** Entries that fit several servers. A server that has listed its tools counts only if one of them fits. */
export function findAmbiguous(rules: RoleRules, subjects: RuleSubjects): readonly AmbiguousRule[] {
  return entriesOf(rules).flatMap((entry) => {
    const servers = serversFitting(entry.pattern, subjects);
    return servers.length > 1 ? [toAmbiguous(entry, servers, rules)] : [];
  });
}

function serversFitting(pattern: string, { isServer, hasListed, tools }: RuleSubjects): readonly string[] {
  const known = Array.from(readingsOf(pattern), ({ server }) => server).filter(isServer);
  return Array.from(new Set(known)).filter((server, index) => {
    if (index === 0 || !hasListed(server)) return true;
    return tools.some((tool) => tool.server === server && fitsTool(pattern, tool));
  });
}

function toAmbiguous({ rule, list, pattern }: Entry, servers: readonly string[], rules: RoleRules): AmbiguousRule {
  const { role } = rule;
  const [server = '', ...others] = servers;
  const names = servers.map(quote).join(' and ');
  const effect =
    list !== 'allowedTools'
      ? `so it ${VERBS[list]} tools of each of them`
      : `and means ${quote(server)} alone; write public names for tools of ${others.map(quote).join(' and ')}`;
  const message = `The role ${quote(role)} ${VERBS[list]} ${quote(pattern)} at ${describePlace(rule, rules)}, which fits the servers ${names}, ${effect}`;
  return { code: 'ambiguous-rule', server, servers, role, list, pattern, rule, message };
}

export type RuleDiagnostic = UnmatchedRule | AmbiguousRule;

const MAX_NOTES = 3;

export interface NotedTool {
  readonly role: string;
  readonly view: ToolView | undefined;
  readonly isAllowed: boolean;
  readonly diagnostics: readonly RuleDiagnostic[];
}

/**
 * At most three sentences: denials that match nothing, for allowed or unknown tools, and entries that fit the tool but
 * mean another server's.
 */
export function notesFor({ role, diagnostics, ...tool }: NotedTool, rules: RoleRules): readonly string[] {
  const own = new Set<object>(orderInheritance(rules, [role]).flatMap((layer) => layer.rules.map(({ rule }) => rule)));
  return diagnostics
    .filter((found) => own.has(found.rule) && isAbout(found, tool))
    .slice(0, MAX_NOTES)
    .map(({ message }) => `${message}.`);
}

function isAbout(found: RuleDiagnostic, { view, isAllowed }: Pick<NotedTool, 'view' | 'isAllowed'>): boolean {
  if (found.code === 'rule-matches-nothing') return found.list !== 'allowedTools' && (isAllowed || view === undefined);
  if (found.list !== 'allowedTools' || view?.server === undefined || view.server === found.server) return false;
  return fitsTool(found.pattern, view);
}
