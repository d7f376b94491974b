import { quoted } from '@x/internal/text';
import { type ConfigFile, knownServers } from '../config-file.js';
import type { ConfigPath } from '../issues.js';
import type { McpServerEntry } from '../schema/server-files.js';
import { ownToolName, spellingsOf } from '../servers/tool-name.js';
import { relativePosition, type SourceText } from '../source/source-text.js';
import { coversPattern, coversRule, hasMisplacedStar, patternsMeet, RuleMeanings } from './rule-cover.js';

export function checkDeadRules(files: readonly ConfigFile[]): void {
  for (const { source, section, serverParts } of files) {
    for (const [name, entry] of serverParts) checkServer(limitsOf(name, entry, source, [section, name]));
  }

  const limits = limitsOfAll(files);
  const known = knownServers(files);
  const meanings = new RuleMeanings(known);
  const isWide = (rule: string) => hasStar(rule) || known.has(rule);
  for (const { source, section, toolParts } of files) {
    for (const [tool, { role_restrictions }] of toolParts) {
      for (const [role, { allowed_tools, denied_tools = [] }] of Object.entries(role_restrictions)) {
        const place = [section, tool, 'role_restrictions', role];
        const written = listAt(source, [...place, 'allowed_tools'], allowed_tools);
        const denied = new RuleList(listAt(source, [...place, 'denied_tools'], denied_tools));
        const rules = written.filter(({ rule }) => !hasMisplacedStar(rule, known)); // reported by another check
        reportCovered(rules, 'already allows it', {
          isWide,
          covers: (wide, narrow) => coversRule(wide, narrow, meanings),
          keyOf: (rule) => keyOf(rule, meanings),
        });
        for (const rule of rules) {
          reportDenied(rule, findDenial(rule.rule, denied, meanings) ?? findLimit(rule.rule, limits, meanings));
        }
      }
    }
  }
}

/** The same key for all spellings of a tool. */
function keyOf(rule: string, meanings: RuleMeanings): string {
  const meaning = meanings.of(rule);
  return meaning === undefined ? rule : `${meaning.server}.${meaning.tool}`;
}

interface ServerLimits {
  readonly denied: RuleList;
  /** `undefined`: everything. */
  readonly allowed: RuleList | undefined;
  readonly allowList: PlacedRule;
}

function limitsOfAll(files: readonly ConfigFile[]): ReadonlyMap<string, ServerLimits> {
  const limits = new Map<string, ServerLimits>();
  for (const { source, section, serverParts } of files) {
    for (const [name, entry] of serverParts) {
      // An existing entry comes from a stronger layer.
      if (!limits.has(name)) limits.set(name, limitsOf(name, entry, source, [section, name]));
    }
  }
  return limits;
}

function limitsOf(name: string, entry: McpServerEntry, source: SourceText, path: ConfigPath): ServerLimits {
  const listOf = (key: string, tools: readonly string[]) => {
    const own = tools.map((tool) => ownToolName(name, tool));
    return new RuleList(listAt(source, [...path, key], own));
  };
  const { allowed_tools, denied_tools } = entry;
  return {
    denied: listOf('denied_tools', denied_tools),
    allowed: allowed_tools && listOf('allowed_tools', allowed_tools),
    allowList: { rule: 'allowed_tools', source, path: [...path, 'allowed_tools'] },
  };
}

function listAt(source: SourceText, path: ConfigPath, rules: readonly string[]): readonly PlacedRule[] {
  return rules.map((rule, index) => ({ rule, source, path: [...path, index] }));
}

function checkServer({ denied, allowed, allowList }: ServerLimits): void {
  reportCovered([...denied], 'already denies it', ofServer);
  if (allowed === undefined) return;
  reportCovered([...allowed], 'already allows it', ofServer);
  for (const rule of allowed) reportDenied(rule, denied.covering(rule.rule));
  let wide = 0;
  for (const rule of denied) {
    if (hasStar(rule.rule) && ++wide > maxWideRules) continue;
    if (allowed.missesAll(rule.rule)) reportDenied(rule, allowList);
  }
}

interface RuleReading {
  /** True if the rule may cover rules with a different meaning. */
  readonly isWide: (rule: string) => boolean;
  readonly covers: (wide: string, narrow: string) => boolean;
  /** The same key for rules with the same meaning. */
  readonly keyOf: (rule: string) => string;
}

const ofServer: RuleReading = { isWide: hasStar, covers: coversPattern, keyOf: (rule) => rule };

/** Of two rules that cover each other, the later one has no effect. */
function reportCovered(rules: readonly PlacedRule[], reason: string, { isWide, covers, keyOf }: RuleReading): void {
  const firsts = new Map<string, PlacedRule>();
  for (const rule of rules) if (!firsts.has(keyOf(rule.rule))) firsts.set(keyOf(rule.rule), rule);
  const candidates = [...firsts.values()].filter(({ rule }) => isWide(rule)).slice(0, maxWideRules);

  for (const rule of rules) {
    const first = firsts.get(keyOf(rule.rule));
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

/** Here `*` may also match servers. */
function findDenial(rule: string, denied: RuleList, meanings: RuleMeanings): PlacedRule | undefined {
  const meaning = meanings.of(rule);
  // `server.*` is the whole server. `*`, which denies every tool by its own name, covers the rule itself.
  const whole = meanings.servers.has(rule) ? spellingsOf(rule, '*').slice(0, -1) : [];
  const tools = meaning === undefined ? [] : [...spellingsOf(meaning.server, meaning.tool), meaning.server];
  return firstOf([rule, ...whole, ...tools], (text) => denied.covering(text));
}

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findLimit(
  rule: string,
  limits: ReadonlyMap<string, ServerLimits>,
  meanings: RuleMeanings,
): PlacedRule | undefined {
  const meaning = meanings.of(rule);
  if (meaning === undefined) return undefined;
  const found = limits.get(meaning.server);
  const denying = found?.denied.covering(meaning.tool);
  if (denying !== undefined || found?.allowed === undefined) return denying;
  return found.allowed.missesAll(meaning.tool) ? found.allowList : undefined;
}

function reportDenied(rule: PlacedRule, by: PlacedRule | undefined): void {
  if (by !== undefined) report(rule, by, isAllowList(by) ? 'does not list it' : 'denies it');
}

function isAllowList({ path }: PlacedRule): boolean {
  return path.at(-1) === 'allowed_tools';
}

function report({ rule, source, path }: PlacedRule, by: PlacedRule, reason: string): void {
  const place = by.source.position(by.path, { part: isAllowList(by) ? 'key' : 'value' });
  const message = `${quoted(rule)} has no effect here: ${quoted(by.rule)} ${relativePosition(place, source)} ${reason}`;
  const hint = isAllowList(by) ? 'remove it, or list the tool there' : 'remove one of the two';
  source.report({ code: 'dead-rule', severity: 'warning', message, rule, by: { rule: by.rule, ...place }, hint }, path);
}

interface PlacedRule {
  readonly rule: string;
  readonly source: SourceText;
  readonly path: ConfigPath;
}

/** Limit for comparisons of wildcard rules with each other rule of a list. */
const maxWideRules = 100;

class RuleList implements Iterable<PlacedRule> {
  readonly #rules: readonly PlacedRule[];
  readonly #exact = new Map<string, PlacedRule>();
  readonly #wide: readonly PlacedRule[];
  readonly #isCut: boolean;

  constructor(rules: readonly PlacedRule[]) {
    this.#rules = rules;
    const wide = rules.filter(({ rule }) => hasStar(rule));
    this.#wide = wide.slice(0, maxWideRules);
    this.#isCut = wide.length > maxWideRules;
    for (const rule of rules) if (!this.#exact.has(rule.rule)) this.#exact.set(rule.rule, rule);
  }

  [Symbol.iterator](): Iterator<PlacedRule> {
    return this.#rules[Symbol.iterator]();
  }

  /** A rule that matches all that the pattern matches. */
  covering(pattern: string): PlacedRule | undefined {
    return this.#exact.get(pattern) ?? this.#wide.find(({ rule }) => coversPattern(rule, pattern));
  }

  /** True if no rule matches any text that the pattern matches. False if the check would take too long. */
  missesAll(pattern: string): boolean {
    if (this.#isCut || this.covering(pattern) !== undefined) return false;
    if (!hasStar(pattern)) return true;
    return !this.#wide.some(({ rule }) => patternsMeet(rule, pattern)) && !this.#hasMatchOf(pattern);
  }

  #hasMatchOf(pattern: string): boolean {
    for (const rule of this.#exact.keys()) if (coversPattern(pattern, rule)) return true;
    return false;
  }
}

function hasStar(rule: string): boolean {
  return rule.includes('*');
}
