import type { ConfigPath } from '../issues.js';
import type { SourceText } from '../source/source-text.js';
import { coversPattern, patternsMeet } from './rule-cover.js';

export interface PlacedRule {
  readonly rule: string;
  readonly source: SourceText;
  readonly path: ConfigPath;
}

/** Limit for comparisons of wildcard rules with each other rule of a list. */
export const mostWideRules = 100;

export class RuleList implements Iterable<PlacedRule> {
  readonly #rules: readonly PlacedRule[];
  readonly #exact = new Map<string, PlacedRule>();
  readonly #wide: readonly PlacedRule[];
  readonly #isCut: boolean;

  constructor(rules: readonly PlacedRule[]) {
    this.#rules = rules;
    const wide = rules.filter(({ rule }) => hasStar(rule));
    this.#wide = wide.slice(0, mostWideRules);
    this.#isCut = wide.length > mostWideRules;
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
    return !this.#wide.some(({ rule }) => patternsMeet(rule, pattern)) && !this.#holdsMatchOf(pattern);
  }

  #holdsMatchOf(pattern: string): boolean {
    for (const rule of this.#exact.keys()) if (coversPattern(pattern, rule)) return true;
    return false;
  }
}

export function hasStar(rule: string): boolean {
  return rule.includes('*');
}
