import type { AsyncDisposable, Disposable, JsonSchema, ToolSource } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import { optionTable } from '@x/internal/options';
import type { ViewOptions } from '@x/internal/views';
import { type AuditFailure, AuditRecorder, type AuditSink } from './audit/audit-recorder.js';
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
import { type GuardedCatalog, guardCatalog } from './pins/guard-catalog.js';
import { checkPinStore } from './pins/memory-pin-store.js';
import type { PinStore } from './pins/pin-store.js';
import type { RegistryPins } from './pins/registry-pins.js';
import { resolveTrust, type TrustMode, type TrustOptions } from './pins/trust-policy.js';
import { requireKeys } from './require-keys.js';
import { checkRoleRules } from './roles/check-role-rules.js';
import type { RolePolicy } from './roles/compile-role.js';
import type { RoleExplanation } from './roles/explain-role.js';
import type { RoleRules } from './roles/role-rule.js';
import { type Ranker, resolveRankers, type SharedRankers } from './search/ranker.js';
import { SEARCH_TOOL } from './search/search-tool.js';
import { RoleViews } from './views/role-views.js';
import type { RegistryView } from './views/view.js';
import { ViewDecorator } from './views/view-decorator.js';

/** Options of a registry. */
export interface RegistryOptions {
  /** Rights of the roles. Default: none, so that only views without a role show anything. */
  readonly roles?: RoleRules | undefined;
  /**
   * Names of the configured servers, attached or not. Together with attached sources they decide which server an entry
   * of a role means: `my.db.query` is not a tool of `my` if there is a server `my.db`. Default: none.
   */
  readonly knownServers?: readonly string[] | undefined;
  /**
   * Receives one event per request and decision, from every view. Its errors are counted in `diagnostics()` and
   * emitted as `audit-failed`, without an effect on the response. Default: none.
   */
  readonly audit?: AuditSink | undefined;
  /**
   * Checks arguments against a tool's input schema before the call. Default `true`. A schema library's object of a
   * native tool reads its arguments in any case.
   */
  readonly validateArguments?: boolean | undefined;
  /** Condition for the visibility of a source's tool: one mode, or modes by source. Default `all`: at once. */
  readonly trust?: TrustMode | TrustOptions | undefined;
  /** Storage of approvals. Default: in memory; `createPinFile` of `@x/mcp-registry/node` keeps them in a file. */
  readonly pinStore?: PinStore | undefined;
  /**
   * Removes secrets from the texts of tools and instructions, before these go into pins, digests and findings: no
   * repeated secret is stored, and another value of a secret is not another tool. Must return the same kind of value
   * with all its entries, synchronously. Must hide values, and no text for its shape or place. A tool for which it
   * fails or hides more than secrets is never trusted. Default: no redaction.
   */
  readonly redact?: ((value: unknown) => unknown) | undefined;
  /** Further rankings of query results, fused with the search by words. Default: none. */
  readonly rankers?: readonly Ranker[] | undefined;
}

/** Values of kind `other` have their own checks. */
const registryOptions = optionTable<RegistryOptions>()({
  roles: { kind: 'other', default: [] },
  knownServers: { kind: 'other', default: [] },
  audit: { kind: 'function' },
  validateArguments: { kind: 'flag', default: true },
  trust: { kind: 'other' },
  pinStore: { kind: 'other' },
  redact: { kind: 'function' },
  rankers: { kind: 'other', default: [] },
});

/** The changeable options of a registry. An absent or `undefined` one stays unchanged. */
export type RegistryChanges = Pick<RegistryOptions, 'roles' | 'trust' | 'knownServers'>;

/** The live set of tools: those of the attached sources, and the app's own. Reads show all of it. */
export interface Registry extends RegistryView, AsyncDisposable {
  /**
   * Adds a source and follows its changes until the returned object is disposed. The registry does not own the
   * source: it neither starts nor stops it.
   *
   * @throws {RegistryError} `duplicate-source`, `closed`.
   */
  attach(source: ToolSource): Attachment;
  /**
   * Adds a tool of the app, under its own name, until the returned object is disposed. With a schema library's object
   * as `inputSchema`, the handler gets its output, which also determines the type.
   *
   * @throws {RegistryError} `duplicate-tool`, `closed`.
   * @throws {TypeError} naming the invalid field of the definition.
   */
  register<Schema extends ArgumentSchema = JsonSchema>(
    tool: NativeToolDefinition<Schema>,
    handler: NativeToolHandler<ArgumentsOf<Schema>>,
  ): Disposable;
  /**
   * The tools as one role sees them, or all of them. A role has one view object; views of a principal or a group of
   * servers are created for each caller, and need not be closed.
   *
   * @throws {TypeError} naming a misspelt option, or one that is present without a value, such as `role: undefined`.
   */
  view(options?: ViewOptions): RegistryView;
  /**
   * The policy of `view(options)`, for resources and prompts, which a registry does not contain itself. Ask it for
   * each of them, each time.
   *
   * @throws {TypeError} as `view` does.
   */
  policy(options?: ViewOptions): RolePolicy;
  /**
   * Applies other roles or another trust, in every existing view and policy. Calls in progress finish under the rules
   * that admitted them. `tools-changed` is emitted before this returns.
   *
   * @throws {TypeError} as `createRegistry` does. Nothing has changed then.
   * @throws {RegistryError} `closed`.
   */
  update(changes: RegistryChanges): void;
  /**
   * Explains a decision about a role and a tool, as of now. For operators: it mentions hidden tools.
   *
   * @param tool - Public name, `server.tool`, `server/tool`, or the tool's own name if only one server has it.
   */
  explain(role: string, tool: string): RoleExplanation;
  /** Approvals of tools. For operators: it shows hidden tools. */
  readonly pins: RegistryPins;
  /**
   * Current diagnostics for operators: refused parts of sources, failed listings, entries of roles that match nothing,
   * pending approvals, and suspicious texts of tools.
   */
  diagnostics(): Promise<readonly RegistryDiagnostic[]>;
  /**
   * Releases all sources, without stopping them. Calls in progress fail with `closed`, iterations end, later searches
   * and calls fail; `list()` and `get()` keep the last tools. Idempotent.
   */
  close(): Promise<void>;
}

/**
 * Creates a registry: the live set of the tools of all attached sources and of your own, with search, roles and calls.
 *
 * @throws {TypeError} naming the invalid option; in `roles`: an invalid rule, an unknown or circular `inherits`, two
 * defaults.
 */
export function createRegistry(options?: RegistryOptions): Registry {
  const { roles, knownServers, audit, rankers, trust, pinStore, redact, validateArguments } =
    registryOptions.read(options);
  const guarded = guardCatalog(resolveTrust(trust), checkPinStore(pinStore), redact);
  const rules = checkRoleRules(roles);
  guarded.catalog.names.configure(checkServerNames(knownServers));
  const { events } = guarded.catalog;
  const recorder = audit && new AuditRecorder(audit, (failure) => events.emit('audit-failed', failure));
  const sharedRankers: SharedRankers = {
    rankers: resolveRankers(rankers),
    report: (failure) => events.emit('ranker-failed', failure),
  };
  const shared = { catalog: guarded.catalog, rankers: sharedRankers, validatesArguments: validateArguments };
  const views = new RoleViews({ ...shared, servers: guarded.servers, subjects: guarded.subjects }, rules, recorder);
  guarded.catalog.register(SEARCH_TOOL);
  return new LiveRegistry(guarded, views, recorder);
}

class LiveRegistry extends ViewDecorator implements Registry {
  readonly pins: RegistryPins;
  readonly #guarded: GuardedCatalog;
  readonly #catalog: Catalog;
  readonly #audit: AuditRecorder | undefined;
  readonly #views: RoleViews;

  constructor(guarded: GuardedCatalog, views: RoleViews, audit: AuditRecorder | undefined) {
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

  register<Schema extends ArgumentSchema = JsonSchema>(
    tool: NativeToolDefinition<Schema>,
    handler: NativeToolHandler<ArgumentsOf<Schema>>,
  ): Disposable {
    if (typeof handler !== 'function') throw new TypeError(`handler of the tool ${tool?.name} must be a function`);
    const { definition, reader } = checkNativeTool(tool);
    // It is only called with the output of its own schema.
    const target: ToolTarget = { kind: 'native', handler: handler as NativeToolHandler, reader };
    return this.#catalog.register({ definition, target });
  }

  view(options?: ViewOptions): RegistryView {
    return this.#views.view(options);
  }

  policy(options?: ViewOptions): RolePolicy {
    return this.#views.policy(options);
  }

  update(changes: RegistryChanges): void {
    this.#catalog.lifetime.throwIfOver();
    const { roles, trust, knownServers } = checkChanges(changes);
    // Listeners must not see more than all of the changes allow while one of them takes effect.
    if (roles !== undefined) this.#views.replaceRules(roles);
    if (knownServers !== undefined) this.#catalog.names.configure(knownServers);
    if (trust !== undefined) this.#guarded.updateTrust(trust);
    if (roles !== undefined) this.#catalog.events.emit('access-changed', {});
  }

  explain(role: string, tool: string): RoleExplanation {
    return this.#views.explain(role, tool);
  }

  async diagnostics(): Promise<readonly RegistryDiagnostic[]> {
    const reports = await this.#guarded.reports();
    const diagnostics = reports.diagnostics(this.#views.ruleDiagnostics());
    const failure = this.#audit?.failure;
    return failure === undefined ? diagnostics : [toDiagnostic(failure), ...diagnostics];
  }

  async close(): Promise<void> {
    this.#catalog.close();
    await this.#guarded.settled();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const CHANGEABLE = ['roles', 'trust', 'knownServers'] as const satisfies readonly (keyof RegistryChanges)[];

/** Checks all changes before one takes effect. */
function checkChanges(changes: RegistryChanges) {
  requireKeys('update()', changes, CHANGEABLE);
  const { roles, trust, knownServers } = changes;
  return {
    roles: roles === undefined ? undefined : checkRoleRules(roles),
    trust: trust === undefined ? undefined : resolveTrust(trust),
    knownServers: knownServers === undefined ? undefined : checkServerNames(knownServers),
  };
}

function toDiagnostic({ lost, cause }: AuditFailure): RegistryDiagnostic {
  const reason = messageOf(cause);
  const message = `The audit sink did not take ${lost} ${lost === 1 ? 'event' : 'events'}; the last time because of: ${reason}`;
  return { code: 'audit-failed', lost, cause, message };
}
