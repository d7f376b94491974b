import { optionTable } from '@x/internal/options';
import type { Interceptor, ToolSubject, ViewOptions } from '@x/internal/views';
import type { AuditRecorder, AuditSink } from '../audit/audit-recorder.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { entryOf } from '../catalog/build-snapshot.js';
import { nameTaken } from '../catalog/catalog.js';
import { publicNameOf } from '../catalog/entry-table.js';
import { lateApproval, type RoleApproval } from '../interceptors/approval/late-approval.js';
import { checkInterceptors, ShownTools, toolsOf } from '../interceptors/interceptor-list.js';
import type { HeldServers } from '../pins/guard-catalog.js';
import { operatorCode } from '../pins/operators/operator-code.js';
import { type RoleDecision, type RolePolicy, restrictToServers } from '../roles/compile-role.js';
import { CompiledRules } from '../roles/compiled-rules.js';
import type { OfferedTools, RoleExplanation } from '../roles/explain-role.js';
import type { RoleRules } from '../roles/role-rule.js';
import type { RuleDiagnostic, RuleSubjects } from '../roles/rule-diagnostics.js';
import type { KnownServers } from '../roles/tool-pattern.js';
import { createView, type RegistryView } from './view.js';
import { INTERCEPTED, type SharedParts, type ViewLens, VisibleTools } from './visible-tools.js';

interface RoleViewsParts extends SharedParts {
  readonly servers: KnownServers & HeldServers;
  readonly subjects: () => RuleSubjects & OfferedTools;
  readonly interceptors: readonly Interceptor[];
  readonly approval: RoleApproval | undefined;
}

/** Options of a registry's view. */
export interface RegistryViewOptions extends ViewOptions {
  /** Further interceptors, which requests pass after the registry's. Their tools are in this view alone. Default: none. */
  readonly interceptors?: readonly Interceptor[];
  /** Also receives the events of this view, as `audit` of the registry does. Default: none. */
  readonly audit?: AuditSink | undefined;
}

/** The views of one registry. All of them follow the current rules. */
export class RoleViews {
  readonly #parts: RoleViewsParts;
  readonly #audit: AuditRecorder;
  #rules: CompiledRules;
  readonly #approval: Interceptor;
  readonly #everything: RolePolicy;
  readonly #hidesTools: boolean;
  /** Only known keys, because names from outside must not accumulate. */
  readonly #shared = new Map<ViewKey, SharedView>();

  /** @param rules - From `checkRoleRules`. */
  constructor(parts: RoleViewsParts, rules: RoleRules, audit: AuditRecorder) {
    this.#parts = parts;
    this.#rules = new CompiledRules(rules, parts.servers);
    this.#audit = audit;
    this.#approval = lateApproval(parts.approval, () => this.#rules.all);
    this.#everything = this.#withTrust(ALLOW_ALL);
    this.#hidesTools = parts.interceptors.some(({ list }) => list);
    parts.catalog.names.follow((names) => {
      if (this.#rules.recompile(names)) parts.catalog.events.emit('access-changed', {});
    });
  }

  /** Replaces the rules of existing views and policies. The caller emits `access-changed`. */
  replaceRules(rules: RoleRules): void {
    this.#rules = new CompiledRules(rules, this.#parts.servers, this.#rules);
    for (const key of this.#shared.keys()) {
      if (typeof key === 'string' && !this.#rules.has(key)) this.#shared.delete(key);
    }
  }

  view(requested: RegistryViewOptions = {}): RegistryView {
    const options = checkViewOptions(requested);
    const { principal, servers, interceptors, audit } = options;
    if (servers ?? interceptors) {
      return this.#createView(options, new VisibleTools(this.#parts, this.#lensOf(options)));
    }
    const shared = this.#sharedBy(options);
    if (principal ?? audit) return this.#createView(options, shared.tools);
    shared.view ??= this.#createView(options, shared.tools);
    return shared.view;
  }

  policy(requested: RegistryViewOptions = {}): RolePolicy {
    return this.#lensOf(checkViewOptions(requested))?.policy ?? this.#everything;
  }

  /** Hides resources and prompts that wait for approval. The catalog already lacks such tools. */
  #withTrust(policy: RolePolicy): RolePolicy {
    const { servers } = this.#parts;
    return (subject) => {
      const { kind = 'tool', server } = subject;
      return kind !== 'tool' && server !== undefined && servers.holdsParts(server) ? HELD_BACK : policy(subject);
    };
  }

  async explain(role: string, name: string): Promise<RoleExplanation> {
    const { explainTool } = await operatorCode.load();
    return explainTool(role, name, {
      catalog: this.#parts.catalog,
      subjects: this.#parts.subjects(),
      rules: this.#rules.all,
      decide: (subject) => this.#decide(role, subject),
      diagnostics: () => this.ruleDiagnostics(),
    });
  }

  #decide(role: string, subject: ToolSubject & { readonly name?: string }): RoleDecision {
    const decision = this.policy({ role })(subject);
    const entry = subject.name === undefined ? undefined : this.#parts.catalog.find(subject.name);
    if (!decision.isAllowed || entry === undefined) return decision;
    return this.#sharedBy({ role }).lens?.shown(entry) === undefined ? INTERCEPTED : decision;
  }

  /** Entries of all roles that match nothing or several servers. */
  async ruleDiagnostics(): Promise<readonly RuleDiagnostic[]> {
    const { findAmbiguous, findUnmatched } = await operatorCode.load();
    const subjects = this.#parts.subjects();
    return [...findUnmatched(this.#rules.all, subjects), ...findAmbiguous(this.#rules.all, subjects)];
  }

  get rules(): RoleRules {
    return this.#rules.all;
  }

  #createView(options: RegistryViewOptions, tools: VisibleTools): RegistryView {
    const { principal, audit } = options;
    const hasCaller = 'role' in options || 'principal' in options;
    const caller = () => ({ role: this.#roleOf(options), principal });
    return createView(tools, {
      audit: (this.#audit.sink ?? audit) && new AuditTrail(this.#audit, caller, audit),
      caller: hasCaller ? caller : undefined,
      interceptors: this.#interceptorsOf(options),
      lastInterceptor: () => (hasCaller && this.#rules.asks ? this.#approval : undefined),
    });
  }

  #interceptorsOf({ interceptors = [] }: RegistryViewOptions): readonly Interceptor[] {
    return [...this.#parts.interceptors, ...interceptors];
  }

  #lensOf(options: RegistryViewOptions): ViewLens | undefined {
    const { servers, interceptors, audit: _, ...caller } = options;
    const { lens } = this.#sharedBy(caller);
    if (!(servers ?? interceptors)) return lens;
    const own = toolsOf(interceptors).map(entryOf);
    const names = own.map(publicNameOf);
    const taken = names.find((name, index) => this.#parts.catalog.find(name) || names.indexOf(name) < index);
    if (taken) throw nameTaken(taken);
    const base = lens ?? this.#wholeLens();
    return {
      ...base,
      own,
      shown: this.#shownTo(options, base.version),
      ...(servers && {
        seesAll: false,
        policy: this.#withTrust(restrictToServers(lens?.policy, servers)),
        allowsPartsOf: (server) => servers.includes(server) && base.allowsPartsOf(server),
      }),
    };
  }

  #shownTo(options: RegistryViewOptions, version: () => object): ViewLens['shown'] {
    const tools = new ShownTools(this.#interceptorsOf(options), () => ({ role: this.#roleOf(options) }), version);
    return (entry) => tools.of(entry);
  }

  #wholeLens(): ViewLens {
    const version = () => UNRESTRICTED;
    const shown = this.#shownTo({}, version);
    return { version, shown, policy: this.#everything, allowsPartsOf: () => true, seesAll: true };
  }

  #roleLens(caller: ViewOptions): ViewLens {
    const compiled = () => this.#rules.of(this.#roleOf(caller));
    const version = () => compiled().version;
    return {
      version,
      shown: this.#shownTo(caller, version),
      policy: this.#withTrust((subject) => compiled().policy(subject)),
      allowsPartsOf: (server) => compiled().policy({ kind: 'resource', server, uri: '' }).isAllowed,
    };
  }

  /** The shared part of views with the same rights. Not stored for a role without rules. */
  #sharedBy(caller: ViewOptions): SharedView {
    const key = this.#keyOf(caller);
    const known = key === undefined ? undefined : this.#shared.get(key);
    if (known !== undefined) return known;
    const lens = key !== EVERYTHING ? this.#roleLens(caller) : this.#hidesTools ? this.#wholeLens() : undefined;
    const shared = { lens, tools: new VisibleTools(this.#parts, lens) };
    if (key !== undefined) this.#shared.set(key, shared);
    return shared;
  }

  /** Computed each time, because the default role may change. */
  #roleOf({ role, ...options }: ViewOptions): string | undefined {
    return role ?? ('principal' in options ? this.#rules.defaultRole : undefined);
  }

  /** `undefined` for a role without rules. */
  #keyOf({ role, ...options }: ViewOptions): ViewKey | undefined {
    if (role !== undefined) return this.#rules.has(role) ? role : undefined;
    return 'principal' in options ? DEFAULT_ROLE : EVERYTHING;
  }
}

interface SharedView {
  /** `undefined`: everything is visible. */
  readonly lens: ViewLens | undefined;
  readonly tools: VisibleTools;
  view?: RegistryView;
}

/** Symbols, because a role may have any name. */
const EVERYTHING = Symbol('everything');
const DEFAULT_ROLE = Symbol('default role');
type ViewKey = string | typeof EVERYTHING | typeof DEFAULT_ROLE;

const UNRESTRICTED = {};
const HELD_BACK: RoleDecision = Object.freeze({ isAllowed: false, reason: 'held-back' });
const ALLOW_ALL: RolePolicy = () => ({ isAllowed: true });

/** Further keys are ignored, unless they are nearly an option. */
const viewOptions = optionTable<RegistryViewOptions>('ignored')({
  role: { kind: 'other' },
  principal: { kind: 'other' },
  servers: { kind: 'other' },
  interceptors: { kind: 'other' },
  audit: { kind: 'function' },
});

/** Returns a copy. Refuses options without a value: a lost option must not open everything. */
function checkViewOptions(options: RegistryViewOptions): RegistryViewOptions {
  viewOptions.read(options);
  const { role, principal, servers } = options;
  if ('role' in options && typeof role !== 'string') {
    throw new TypeError(`role must be a text, got ${role}; leave it out to see all tools`);
  }
  if ('principal' in options && !(typeof principal === 'string' && principal)) {
    throw new TypeError('principal must be a text that is not empty; leave it out for none');
  }
  if ('servers' in options && !(Array.isArray(servers) && servers.every((name) => typeof name === 'string'))) {
    throw new TypeError('servers must be a list of texts; leave it out for the tools of all servers');
  }
  const interceptors = 'interceptors' in options && { interceptors: checkInterceptors(options.interceptors) };
  return { ...options, ...(servers && { servers: [...servers] }), ...interceptors };
}
