import { findDefaultRole } from './check-role-rules.js';
import { compileRole, type RolePolicy } from './compile-role.js';
import { orderInheritance } from './inheritance.js';
import type { RoleRules } from './role-rule.js';
import type { KnownServers } from './tool-pattern.js';

/** The policy of one role, and what changes whenever the role may use something else by its rules. */
export interface CompiledRole {
  readonly policy: RolePolicy;
  readonly version: object;
}

const NOBODY: CompiledRole = { policy: () => ({ isAllowed: false, reason: 'unknown-role' }), version: {} };

/** The rules of all roles, each role compiled when it is first asked for. */
export class CompiledRules {
  readonly all: RoleRules;
  readonly defaultRole: string | undefined;
  readonly #roles: ReadonlySet<string>;
  readonly #servers: KnownServers | undefined;
  readonly #compiled = new Map<string, CompiledRole & { readonly text: string }>();

  /**
   * @param rules - As `checkRoleRules` gives them.
   * @param previous - The rules before these: a role about which both say the same keeps its version.
   */
  constructor(rules: RoleRules, servers: KnownServers | undefined, previous?: CompiledRules) {
    this.all = rules;
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

  /** A role that no rule names may use nothing, nor may who has none. */
  of(role: string | undefined): CompiledRole {
    if (role === undefined || !this.has(role)) return NOBODY;
    return this.#compiled.get(role) ?? this.#compile(role, textOf(this.all, role), {});
  }

  #compile(role: string, text: string, version: object): CompiledRole {
    const compiled = { policy: compileRole(this.all, role, this.#servers), version, text };
    this.#compiled.set(role, compiled);
    return compiled;
  }
}

/** What the rules of a role and of those that it inherits say, without where they are written. */
function textOf(rules: RoleRules, role: string): string {
  return JSON.stringify(
    orderInheritance(rules, [role]).map((layer) =>
      layer.rules.map(({ rule: { source: _, tool: __, ...rule }, parents }) => [rule, parents]),
    ),
  );
}
