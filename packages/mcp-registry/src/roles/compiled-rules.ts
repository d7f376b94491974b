import { readingsOf, SOURCE_PREFIX, type WrittenKind } from '@x/internal/names';
import { quote } from '@x/internal/text';
import { findDefaultRole } from './check-role-rules.js';
import { compileRole, type RolePolicy, type RoleRefusal } from './compile-role.js';
import { orderInheritance } from './inheritance.js';
import type { RoleRule, RoleRules } from './role-rule.js';
import type { KnownServers } from './tool-pattern.js';

/** The policy of one role. `version` changes with its rules. */
interface CompiledRole {
  readonly policy: RolePolicy;
  readonly version: object;
}

/** Shared by all roles without rules. */
const NO_RULES = {};
const MAX_SHOWN_ROLES = 10;

/** The rules of all roles, compiled on demand. */
export class CompiledRules {
  readonly all: RoleRules;
  /** True if a rule has `askBefore`. */
  readonly asks: boolean;
  readonly defaultRole: string | undefined;
  readonly #roles: ReadonlySet<string>;
  readonly #servers: KnownServers;
  readonly #compiled = new Map<string, CompiledRole & { readonly text: string }>();

  /**
   * @param rules - From `checkRoleRules`.
   * @param previous - Roles with the same rules keep their version.
   */
  constructor(rules: RoleRules, servers: KnownServers, previous?: CompiledRules) {
    this.all = rules;
    this.asks = rules.some(({ askBefore = [] }) => askBefore.length > 0);
    this.defaultRole = findDefaultRole(rules);
    this.#roles = new Set(rules.map(({ role }) => role));
    this.#servers = servers;
    for (const [role, { text, version }] of previous === undefined ? [] : previous.#compiled) {
      if (this.has(role) && textOf(rules, role) === text) this.#compile(role, text, version);
    }
  }

  has(role: string): boolean {
    return this.#roles.has(role);
  }

  /** A role without rules may use nothing. */
  of(role: string | undefined): CompiledRole {
    if (role === undefined || !this.has(role)) return noRights(role, this.all);
    return this.#compiled.get(role) ?? this.#compile(role, textOf(this.all, role), {});
  }

  /**
   * Gives a new version to roles with an entry whose server depends on these names.
   *
   * @returns True if there is such a role.
   */
  recompile(names: readonly string[]): boolean {
    const changed = new Set(names);
    const isOther = (pattern: string, kind?: WrittenKind): boolean => {
      if (!names.some((name) => beginsWith(pattern, name))) return false;
      const fitting = Array.from(readingsOf(pattern, kind), ({ server }) => server);
      const [first, second] = fitting.filter((server) => changed.has(server) || this.#servers.knows(server));
      return first !== undefined && second !== undefined && changed.has(first);
    };
    const isConcerned = ({ allowedTools, allowedPrompts = [], allowedResources = [] }: RoleRule): boolean =>
      [...allowedTools, ...allowedPrompts].some((pattern) => isOther(pattern)) ||
      allowedResources.some((pattern) => isOther(pattern, 'uri'));
    const concerned = new Set(this.all.filter(isConcerned));
    if (concerned.size === 0) return false;
    const compiled = Array.from(this.#compiled).filter(([role]) =>
      orderInheritance(this.all, [role]).some(({ rules }) => rules.some(({ rule }) => concerned.has(rule))),
    );
    for (const [role, { text }] of compiled) this.#compile(role, text, {});
    return compiled.length > 0;
  }

  #compile(role: string, text: string, version: object): CompiledRole {
    const compiled = { policy: compileRole(this.all, role, this.#servers), version, text };
    this.#compiled.set(role, compiled);
    return compiled;
  }
}

function noRights(role: string | undefined, rules: RoleRules): CompiledRole {
  const refusal: RoleRefusal = {
    isAllowed: false,
    reason: 'unknown-role',
    get message() {
      return role === undefined ? undefined : unknownRole(role, rules);
    },
  };
  return { policy: () => refusal, version: NO_RULES };
}

export function unknownRole(role: string, rules: RoleRules): string {
  const known = Array.from(new Set(rules.map((rule) => rule.role)));
  const more = known.length > MAX_SHOWN_ROLES ? ', …' : '';
  const names =
    known.length === 0
      ? 'There are no roles'
      : `Roles are ${known.slice(0, MAX_SHOWN_ROLES).map(quote).join(', ')}${more}`;
  return `no rule names the role ${quote(role)}, so it sees nothing. ${names}.`;
}

function beginsWith(pattern: string, server: string): boolean {
  return (
    pattern.startsWith(server) ||
    (pattern.startsWith(SOURCE_PREFIX) && pattern.startsWith(server, SOURCE_PREFIX.length))
  );
}

/** The rules of a role and its ancestors, without their places. */
function textOf(rules: RoleRules, role: string): string {
  return JSON.stringify(
    orderInheritance(rules, [role]).map((layer) =>
      layer.rules.map(({ rule: { source: _, tool: __, ...rule }, parents }) => [rule, parents]),
    ),
  );
}
