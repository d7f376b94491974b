import type { ConfigFile } from '../config-file.js';
import type { ConfigPath } from '../issues.js';
import { quoted } from '../printable.js';
import type { McpServerEntry } from '../schema/mcp-servers-file.js';
import type { SourceText } from '../source/source-text.js';
import { coversPattern, coversRule, meaningsOf, type ServerNames } from './rule-cover.js';

// Each rule is held against each wide one of its list; nobody writes more wide ones than this.
const mostWideRules = 100;

/** Warns of rules that change nothing, because another one says the same already or takes back what they allow. */
export function checkDeadRules(files: readonly ConfigFile[]): void {
  for (const { source, section, servers } of files) {
    for (const [name, entry] of servers) {
      const { denied, allowed = [] } = limitsOf(name, entry, source, [section, name]);
      reportCovered(denied, 'already denies it', hasStar, coversPattern);
      reportCovered(allowed, 'already allows it', hasStar, coversPattern);
      for (const rule of allowed)
        reportDenied(
          rule,
          denied.find((deny) => coversPattern(deny.rule, rule.rule)),
        );
    }
  }

  const limits = limitsOfAll(files);
  const known = new Set([...limits.keys(), ...serversOfTiers(files)]);
  const isWide = (rule: string) => hasStar(rule) || known.has(rule);
  for (const { source, section, tools } of files) {
    for (const [tool, { role_restrictions }] of tools) {
      for (const [role, { allowed_tools }] of Object.entries(role_restrictions)) {
        const rules = listAt(source, [section, tool, 'role_restrictions', role, 'allowed_tools'], allowed_tools);
        reportCovered(rules, 'already allows it', isWide, (wide, narrow) => coversRule(wide, narrow, known));
        for (const rule of rules) reportDenied(rule, whatForbids(rule.rule, limits, known));
      }
    }
  }
}

/** One rule, and where it stands. */
interface PlacedRule {
  readonly rule: string;
  readonly source: SourceText;
  readonly path: ConfigPath;
}

/** What a server offers at all, whatever a role is allowed. */
interface ServerLimits {
  readonly denied: readonly PlacedRule[];
  /** `undefined`: everything. */
  readonly allowed: readonly PlacedRule[] | undefined;
  /** The key `allowed_tools` itself. */
  readonly allowList: PlacedRule;
}

function limitsOfAll(files: readonly ConfigFile[]): ReadonlyMap<string, ServerLimits> {
  const limits = new Map<string, ServerLimits>();
  for (const { source, section, servers } of files) {
    for (const [name, entry] of servers) {
      // What is already there is of a stronger layer.
      if (!limits.has(name)) limits.set(name, limitsOf(name, entry, source, [section, name]));
    }
  }
  return limits;
}

function limitsOf(name: string, entry: McpServerEntry, source: SourceText, path: ConfigPath): ServerLimits {
  const { allowed_tools, denied_tools } = entry;
  return {
    denied: listAt(source, [...path, 'denied_tools'], withoutServer(name, denied_tools)),
    allowed: allowed_tools && listAt(source, [...path, 'allowed_tools'], withoutServer(name, allowed_tools)),
    allowList: { rule: 'allowed_tools', source, path: [...path, 'allowed_tools'] },
  };
}

function serversOfTiers(files: readonly ConfigFile[]): readonly string[] {
  return files.flatMap(({ tools }) => [...tools.values()].flatMap(({ mcp_tools }) => Object.values(mcp_tools).flat()));
}

function hasStar(rule: string): boolean {
  return rule.includes('*');
}

function withoutServer(server: string, tools: readonly string[]): readonly string[] {
  return tools.map((tool) => (tool.startsWith(`${server}.`) ? tool.slice(server.length + 1) : tool));
}

function listAt(source: SourceText, path: ConfigPath, rules: readonly string[]): readonly PlacedRule[] {
  return rules.map((rule, index) => ({ rule, source, path: [...path, index] }));
}

/** Of two rules that cover each other the later one is dead. */
function reportCovered(
  rules: readonly PlacedRule[],
  reason: string,
  isWide: (rule: string) => boolean,
  covers: (wide: string, narrow: string) => boolean,
): void {
  const firstOf = new Map<string, PlacedRule>();
  for (const rule of rules) if (!firstOf.has(rule.rule)) firstOf.set(rule.rule, rule);
  const candidates = [...firstOf.values()].filter(({ rule }) => isWide(rule)).slice(0, mostWideRules);

  for (const rule of rules) {
    const first = firstOf.get(rule.rule);
    const covering =
      first === rule ? candidates.find((other) => other !== rule && isCovered(rule, other, covers)) : first;
    if (covering !== undefined) report(rule, covering, reason);
  }
}

function isCovered(rule: PlacedRule, other: PlacedRule, covers: (wide: string, narrow: string) => boolean): boolean {
  if (!covers(other.rule, rule.rule)) return false;
  return !covers(rule.rule, other.rule) || indexOf(other) < indexOf(rule);
}

function indexOf({ path }: PlacedRule): number {
  return path.at(-1) as number;
}

/** What of the servers themselves leaves nothing of a role's rule. */
function whatForbids(
  rule: string,
  limits: ReadonlyMap<string, ServerLimits>,
  servers: ServerNames,
): PlacedRule | undefined {
  const meanings = meaningsOf(rule, servers);
  const causes = meanings.map(({ server, tool }) => {
    const { denied = [], allowed, allowList } = limits.get(server) ?? {};
    const denying = denied.find((deny) => coversPattern(deny.rule, tool));
    if (denying !== undefined || allowed === undefined || tool.includes('*')) return denying;
    return allowed.some((allow) => coversPattern(allow.rule, tool)) ? undefined : allowList;
  });
  return causes.includes(undefined) ? undefined : causes[0];
}

function reportDenied(rule: PlacedRule, by: PlacedRule | undefined): void {
  if (by !== undefined) report(rule, by, by.rule === 'allowed_tools' ? 'does not list it' : 'denies it');
}

function report({ rule, source, path }: PlacedRule, by: PlacedRule, reason: string): void {
  const place = by.source.position(by.path, { part: by.rule === 'allowed_tools' ? 'key' : 'value' });
  const where =
    place.file === source.file ? `on line ${place.line}` : `in ${place.file ?? 'another text'}, line ${place.line}`;
  const message = `${quoted(rule)} has no effect here: ${quoted(by.rule)} ${where} ${reason}`;
  const hint = 'remove one of the two';
  source.report({ code: 'dead-rule', severity: 'warning', message, rule, by: { rule: by.rule, ...place }, hint }, path);
}
