import type { AsyncDisposable, Disposable, JsonSchema, ToolSource } from '@x/internal/contracts';
import { milliseconds, optionTable, refuseUnknownKeys, requireObject } from '@x/internal/options';
import type { Interceptor } from '@x/internal/views';
import { AuditRecorder, type AuditSink } from './audit/audit-recorder.js';
import type { Attachment, Catalog } from './catalog/catalog.js';
import type { RegistryDiagnostic } from './catalog/diagnostics.js';
import {
  type ArgumentSchema,
  type ArgumentsOf,
  checkNativeTool,
  type NativeToolDefinition,
  type NativeToolHandler,
} from './catalog/native-tool.js';
import { checkServerNames } from './catalog/server-names.js';
import type { ToolTarget } from './catalog/snapshot.js';
import { followSources, type SourceSet } from './catalog/source-set.js';
import type { RoleApproval } from './interceptors/approval/late-approval.js';
import { checkInterceptors, toolsOf } from './interceptors/interceptor-list.js';
import { type GuardedCatalog, guardCatalog } from './pins/guard-catalog.js';
import { checkPinStore } from './pins/memory-pin-store.js';
import type { PinStore } from './pins/pin-store.js';
import type { RegistryPins } from './pins/registry-pins.js';
import { resolveTrust, type TrustMode, type TrustOptions } from './pins/trust-policy.js';
import { checkRoleRules } from './roles/check-role-rules.js';
import type { RolePolicy } from './roles/compile-role.js';
import type { RoleExplanation } from './roles/explain-role.js';
import type { RoleRules } from './roles/role-rule.js';
import { type Ranker, resolveRankers, type SharedRankers } from './search/rank/ranker.js';
import { SEARCH_TOOL } from './search/search-tool.js';
import { type RegistryViewOptions, RoleViews } from './views/role-views.js';
import { type RegistryView, ViewDecorator } from './views/view.js';

/** Options of a registry. */
export interface RegistryOptions {
  /** Rights of the roles. Default: none, so views of roles are empty. */
  readonly roles?: RoleRules | undefined;
  /**
   * Names of configured servers, attached or not. They decide which server an entry of a role means: if `my.db` is
   * known, `my.db.query` is not a tool of `my`. Default: none; attached sources are always known.
   */
  readonly knownServers?: readonly string[] | undefined;
  /**
   * Receives one event per request and decision, from every view. Failures are counted in `diagnostics()` and emitted
   * as `audit-failed`. Default: none.
   */
  readonly audit?: AuditSink | undefined;
  /**
   * Checks arguments against a tool's input schema before the call. A native tool's schema library always does. Default
   * `true`.
   */
  readonly validateArguments?: boolean | undefined;
  /** Visibility of sources' tools: one mode, or modes by source. Default `all`. */
  readonly trust?: TrustMode | TrustOptions | undefined;
  /** Storage of approvals. Default: in memory; `createPinFile` of `@x/mcp-registry/node` uses a file. */
  readonly pinStore?: PinStore | undefined;
  /**
   * Removes secrets from texts before they are pinned: no secret is stored, and a new value of a secret does not change
   * a tool. Must synchronously return the same kind of value with all entries, and hide only secrets; otherwise the
   * tool is never trusted. Default: no redaction.
   */
  readonly redact?: ((value: unknown) => unknown) | undefined;
  /**
   * Steps around the requests of all views, in order: they pass, change, answer or refuse. Ready ones are in
   * `@x/mcp-registry/interceptors`. Default: none.
   */
  readonly interceptors?: readonly Interceptor[] | undefined;
  /**
   * Asks before calls that `askBefore` of the caller's role names, after all interceptors: `approveByRole` of
   * `@x/mcp-registry/interceptors`. Default: such calls are refused.
   */
  readonly approval?: RoleApproval | undefined;
  /** Further rankings of query results, fused with the search by words. Default: none. */
  readonly rankers?: readonly Ranker[] | undefined;
}

const registryOptions = optionTable<RegistryOptions>()({
  roles: { kind: 'other', default: [] },
  knownServers: { kind: 'other', default: [] },
  audit: { kind: 'function' },
  validateArguments: { kind: 'flag', default: true },
  trust: { kind: 'other' },
  pinStore: { kind: 'other' },
  redact: { kind: 'function' },
  rankers: { kind: 'other', default: [] },
  interceptors: { kind: 'other', default: [] },
  approval: { kind: 'function' },
});

/** The changeable options of a registry. Absent and `undefined` ones stay unchanged. */
export type RegistryChanges = Pick<RegistryOptions, 'roles' | 'trust' | 'knownServers'>;

/** The live set of tools of all sources and the app. Unlike views of roles, it shows all of them. */
export interface Registry extends RegistryView, AsyncDisposable {
  /**
   * Adds a source and follows its changes until disposal. Neither starts nor stops the source.
   *
   * @throws {RegistryError} `duplicate-source`, `closed`.
   */
  attach(source: ToolSource): Attachment;
  /**
   * Attaches the servers of a `ClientManager`, and follows its `apply`: adds and removes sources until disposal.
   *
   * @throws {RegistryError} `duplicate-source`, `closed`.
   */
  follow(sources: SourceSet): Disposable;
  /**
   * Adds a tool of the app until disposal. A schema library's object as `inputSchema` also types the handler's
   * arguments.
   *
   * @throws {RegistryError} `duplicate-tool`, `closed`.
   * @throws {TypeError} naming the invalid field of the definition.
   */
  register<Schema extends ArgumentSchema = JsonSchema>(
    tool: NativeToolDefinition<Schema>,
    handler: NativeToolHandler<ArgumentsOf<Schema>>,
  ): Disposable;
  /**
   * The tools of one role, or all tools. Views need not be closed.
   *
   * @throws {TypeError} naming an option that is misspelt, or present but `undefined`.
   * @throws {RegistryError} `duplicate-tool` if an interceptor has a tool of the registry's.
   */
  view(options?: RegistryViewOptions): RegistryView;
  /**
   * The policy of `view(options)`, for resources and prompts. Call it for each access.
   *
   * @throws {TypeError} as `view` does.
   */
  policy(options?: RegistryViewOptions): RolePolicy;
  /**
   * Applies other options to all existing views and policies. Calls in progress finish under their rules. Emits
   * `tools-changed` before it returns.
   *
   * @throws {TypeError} as `createRegistry` does. Nothing has changed then.
   * @throws {RegistryError} `closed`.
   */
  update(changes: RegistryChanges): void;
  /**
   * Explains the current decision about a role and a tool. For operators: mentions hidden tools.
   *
   * @param tool - Public name, `server.tool`, `server/tool`, or the own name if unique.
   */
  explain(role: string, tool: string): Promise<RoleExplanation>;
  /** Approvals of tools. For operators: shows hidden tools. */
  readonly pins: RegistryPins;
  /**
   * Current diagnostics for operators: faults of sources, unmatched entries of roles, pending approvals, and suspicious
   * texts.
   */
  diagnostics(): Promise<readonly RegistryDiagnostic[]>;
  /**
   * Releases all sources without stopping them. Calls fail with `closed`, and iterations end; `list()` and `get()` keep
   * the last tools. Idempotent.
   *
   * @param options.drainMs - Time for calls in progress, in milliseconds; new ones are refused. Default 0.
   */
  close(options?: CloseOptions): Promise<void>;
}

/** Options of `close`. */
export interface CloseOptions {
  /** Time for calls in progress, in milliseconds. Default 0. */
  readonly drainMs?: number | undefined;
}

const closeOptions = optionTable<CloseOptions>()({
  drainMs: { ...milliseconds, min: 0, default: 0 },
});

/**
 * Creates a registry: the live set of tools, with search, roles and calls.
 *
 * @throws {TypeError} naming the invalid option; in `roles` also an unknown or circular `inherits`, or two defaults.
 */
export function createRegistry(options?: RegistryOptions): Registry {
  const { roles, knownServers, audit, rankers, trust, pinStore, redact, validateArguments, interceptors, approval } =
    registryOptions.read(options);
  const guarded = guardCatalog(resolveTrust(trust), checkPinStore(pinStore), redact);
  const rules = checkRoleRules(roles);
  guarded.catalog.names.configure(checkServerNames(knownServers));
  const { events } = guarded.catalog;
  const recorder = new AuditRecorder(audit, (failure) => events.emit('audit-failed', failure));
  const sharedRankers: SharedRankers = {
    rankers: resolveRankers(rankers),
    report: (failure) => events.emit('ranker-failed', failure),
  };
  const shared = {
    catalog: guarded.catalog,
    rankers: sharedRankers,
    validatesArguments: validateArguments,
    instructionsOf: guarded.instructionsOf,
    unlisted: guarded.unlisted,
    interceptors: checkInterceptors(interceptors),
    approval,
  };
  const views = new RoleViews({ ...shared, servers: guarded.servers, subjects: guarded.subjects }, rules, recorder);
  guarded.catalog.register(SEARCH_TOOL);
  for (const tool of toolsOf(shared.interceptors)) guarded.catalog.register(tool);
  return new LiveRegistry(guarded, views, recorder);
}

class LiveRegistry extends ViewDecorator implements Registry {
  readonly pins: RegistryPins;
  readonly #guarded: GuardedCatalog;
  readonly #catalog: Catalog;
  readonly #audit: AuditRecorder;
  readonly #views: RoleViews;

  constructor(guarded: GuardedCatalog, views: RoleViews, audit: AuditRecorder) {
    super(views.view());
    this.#guarded = guarded;
    this.#catalog = guarded.catalog;
    this.pins = guarded.pins;
    this.#audit = audit;
    this.#views = views;
  }

  attach(source: ToolSource): Attachment {
    return this.#catalog.attach(source);
  }

  follow(sources: SourceSet): Disposable {
    return followSources(sources, this.#catalog);
  }

  register<Schema extends ArgumentSchema = JsonSchema>(
    tool: NativeToolDefinition<Schema>,
    handler: NativeToolHandler<ArgumentsOf<Schema>>,
  ): Disposable {
    const { definition, reader } = checkNativeTool(tool, handler);
    // The handler gets the output of its own schema.
    const target: ToolTarget = { kind: 'native', handler: handler as NativeToolHandler, reader };
    return this.#catalog.register({ definition, target });
  }

  view(options?: RegistryViewOptions): RegistryView {
    return this.#views.view(options);
  }

  policy(options?: RegistryViewOptions): RolePolicy {
    return this.#views.policy(options);
  }

  update(changes: RegistryChanges): void {
    this.#catalog.lifetime.throwIfOver();
    const { roles, trust, knownServers } = checkChanges(changes);
    // Listeners must not see tools that only some of the changes allow.
    if (roles !== undefined) this.#views.replaceRules(roles);
    if (knownServers !== undefined) this.#catalog.names.configure(knownServers);
    if (trust !== undefined) this.#guarded.updateTrust(trust);
    if (roles !== undefined) this.#catalog.events.emit('access-changed', {});
  }

  explain(role: string, tool: string): Promise<RoleExplanation> {
    return this.#views.explain(role, tool);
  }

  async diagnostics(): Promise<readonly RegistryDiagnostic[]> {
    const reports = await this.#guarded.reports();
    return reports.diagnostics(await this.#views.ruleDiagnostics(), this.#audit.failure);
  }

  async close(options?: CloseOptions): Promise<void> {
    await this.#catalog.close(closeOptions.read(options).drainMs);
    await this.#guarded.settled();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const CHANGEABLE = ['roles', 'trust', 'knownServers'] as const satisfies readonly (keyof RegistryChanges)[];

function checkChanges(changes: RegistryChanges) {
  requireObject('The changes', changes, CHANGEABLE);
  refuseUnknownKeys(changes, CHANGEABLE, { place: 'update(): ' });
  const { roles, trust, knownServers } = changes;
  return {
    roles: roles === undefined ? undefined : checkRoleRules(roles),
    trust: trust === undefined ? undefined : resolveTrust(trust),
    knownServers: knownServers === undefined ? undefined : checkServerNames(knownServers),
  };
}
