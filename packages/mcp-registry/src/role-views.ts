import type { AuditRecorder } from './audit/audit-recorder.js';
import { AuditTrail } from './audit/audit-trail.js';
import type { ToolView } from './catalog/tool-view.js';
import { findDefaultRole } from './roles/check-role-rules.js';
import { compileRole, type RolePolicy } from './roles/compile-role.js';
import { explainDecision, type RoleExplanation } from './roles/explain-role.js';
import type { RoleRules } from './roles/role-rule.js';
import { restrictToServers } from './roles/server-group.js';
import { createView, type RegistryView } from './view.js';
import { type SharedParts, VisibleTools } from './visible-tools.js';

/** Whose view it is, and of which servers. */
export interface ViewOptions {
  /**
   * A role of `RegistryOptions.roles`; any other one sees nothing. Left out: the default role if there is a `principal`,
   * and everything if there is none.
   */
  readonly role?: string;
  /** Who asks, for audit events. With neither a `role` nor a default role a principal sees nothing. */
  readonly principal?: string;
  /** Only tools of these servers, as far as the role may use them. Native tools belong to none. Default: all. */
  readonly servers?: readonly string[];
}

/** The views of one registry, by who asks. */
export class RoleViews {
  readonly #parts: SharedParts;
  readonly #rules: RoleRules;
  readonly #audit: AuditRecorder | undefined;
  readonly #defaultRole: string | undefined;
  readonly #known: ReadonlySet<string>;
  /** One for each known role, one for all unknown ones, one for everything: names from outside must not add up. */
  readonly #tools = new Map<RoleKey, VisibleTools>();
  readonly #views = new Map<RoleKey, RegistryView>();
  /** Of the known roles: compiled once, and the same function for all who ask as one. */
  readonly #policies = new Map<string, RolePolicy>();

  /** @param rules - As `checkRoleRules` gives them. */
  constructor(parts: SharedParts, rules: RoleRules, audit: AuditRecorder | undefined) {
    this.#parts = parts;
    this.#rules = rules;
    this.#audit = audit;
    this.#defaultRole = findDefaultRole(rules);
    this.#known = new Set(rules.map(({ role }) => role));
  }

  view(options: ViewOptions = {}): RegistryView {
    const { principal, servers } = checkViewOptions(options);
    const { key, role } = this.#roleOf(options);
    const isShared = principal === undefined && servers === undefined && (key !== NOBODY || this.#audit === undefined);
    const known = isShared ? this.#views.get(key) : undefined;
    if (known !== undefined) return known;

    const tools =
      servers === undefined
        ? this.#toolsOf(key)
        : new VisibleTools(this.#parts, restrictToServers(this.#policyOf(key), servers));
    const audit = this.#audit && new AuditTrail(this.#audit, { role, principal });
    const caller = role === undefined && principal === undefined ? undefined : { role, principal };
    const view = createView(tools, audit, caller);
    rolesOfViews.set(view, role);
    if (isShared) this.#views.set(key, view);
    return view;
  }

  policy(options: ViewOptions = {}): RolePolicy {
    const { servers } = checkViewOptions(options);
    const policy = this.#policyOf(this.#roleOf(options).key);
    if (servers !== undefined) return restrictToServers(policy, servers);
    return policy ?? ALLOW_ALL;
  }

  explain(role: string, name: string): RoleExplanation {
    if (typeof role !== 'string') throw new TypeError(`role must be a text, got ${role}`);
    if (typeof name !== 'string') throw new TypeError(`tool must be a text, got ${name}`);
    const view = this.#parts.catalog.find(name)?.view ?? this.#findQualified(name);
    const policy = this.policy({ role });
    const decision = policy(view ?? { server: undefined, tool: name });
    return explainDecision({ role, name, view, decision }, this.#rules);
  }

  /** As rules and people write it: `server.tool`. */
  #findQualified(name: string): ToolView | undefined {
    return this.#parts.catalog.current.tools.find(
      ({ server, tool }) => server !== undefined && `${server}.${tool}` === name,
    );
  }

  #roleOf(options: ViewOptions): { readonly key: RoleKey; readonly role: string | undefined } {
    const role = options.role ?? ('principal' in options ? this.#defaultRole : undefined);
    if (role !== undefined) return { key: this.#known.has(role) ? role : NOBODY, role };
    return { key: 'principal' in options ? NOBODY : EVERYTHING, role };
  }

  #toolsOf(key: RoleKey): VisibleTools {
    const known = this.#tools.get(key);
    if (known !== undefined) return known;
    const tools = new VisibleTools(this.#parts, this.#policyOf(key));
    this.#tools.set(key, tools);
    return tools;
  }

  #policyOf(key: RoleKey): RolePolicy | undefined {
    if (key === EVERYTHING) return undefined;
    if (key === NOBODY) return ALLOW_NOTHING;
    const known = this.#policies.get(key);
    if (known !== undefined) return known;
    const policy = compileRole(this.#rules, key);
    this.#policies.set(key, policy);
    return policy;
  }
}

const rolesOfViews = new WeakMap<RegistryView, string | undefined>();

/** The role that a view is of: the one that was asked for, or the default role. `undefined`: none. */
export function roleOf(view: RegistryView): string | undefined {
  return rolesOfViews.get(view);
}

/** Roles may have any text for a name, so what is none of them is no text. */
const EVERYTHING = Symbol('everything');
const NOBODY = Symbol('nobody');
type RoleKey = string | typeof EVERYTHING | typeof NOBODY;

const ALLOW_ALL: RolePolicy = () => ({ isAllowed: true });
const ALLOW_NOTHING: RolePolicy = () => ({ isAllowed: false, reason: 'unknown-role' });

/** What got lost on the way must not open everything: an option that is there has to say something. */
function checkViewOptions(options: ViewOptions): ViewOptions {
  const { role, principal, servers } = options;
  if ('role' in options && typeof role !== 'string') {
    throw new TypeError(`role must be a text, got ${role}; leave it out to see all tools`);
  }
  if ('principal' in options && (typeof principal !== 'string' || principal === '')) {
    throw new TypeError('principal must be a text that is not empty; leave it out if nobody in particular asks');
  }
  if ('servers' in options && !(Array.isArray(servers) && servers.every((name) => typeof name === 'string'))) {
    throw new TypeError('servers must be a list of texts; leave it out for the tools of all servers');
  }
  return options;
}
