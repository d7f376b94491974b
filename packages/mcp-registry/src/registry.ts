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

/** What a registry allows, keeps and tells. */
export interface RegistryOptions {
  /** What each role may use. Default: no roles, so that only views without a role show anything. */
  readonly roles?: RoleRules | undefined;
  /**
   * Names of servers that the app has configured, attached or not. They decide with those of attached sources which server an entry of
   * a role means: `my.db.query` is no tool of `my` where there is a server `my.db`. Default: none.
   */
  readonly knownServers?: readonly string[] | undefined;
  /**
   * Told of what is asked for and how it is decided, by every view. What it throws is counted in `diagnostics()` and
   * told as `audit-failed`; the answer stays what it is. Default: nobody is told.
   */
  readonly audit?: AuditSink | undefined;
  /**
   * Whether arguments are checked against a tool's input schema before the call. Default `true`. What a schema library's
   * object reads for a native tool is read in any case.
   */
  readonly validateArguments?: boolean | undefined;
  /** When a tool that a source offers may be seen: one mode, or modes by source. Default `all`: at once. */
  readonly trust?: TrustMode | TrustOptions | undefined;
  /** Where approvals are kept. Default: in memory; `createPinFile` of `@x/mcp-registry/node` keeps them in a file. */
  readonly pinStore?: PinStore | undefined;
  /**
   * Takes secrets out of the texts of tools and instructions, before these go into pins, digests and findings: no secret that a
   * server repeats is kept, and another value of a secret is no other tool. Must return
   * the same kind of value with all its entries, and no promise. Must hide values, and no text for its shape or its place. A tool for
   * which it fails or hides more than secrets is never trusted. Default: texts are kept
   * as they are.
   */
  readonly redact?: ((value: unknown) => unknown) | undefined;
  /** Further opinions on what answers a query, fused with the search by words. Default: none. */
  readonly rankers?: readonly Ranker[] | undefined;
}

/** Values of kind `other` have checks of their own. */
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

/** What can be changed while a registry lives. What is left out, or `undefined`, stays as it is. */
export type RegistryChanges = Pick<RegistryOptions, 'roles' | 'trust' | 'knownServers'>;

/** The live set of tools: what the attached sources offer, and what the host app registers. Reads show all of it. */
export interface Registry extends RegistryView, AsyncDisposable {
  /**
   * Adds a source and follows its changes until the returned object is disposed. The registry does not own the
   * source: it neither starts nor stops it.
   *
   * @throws {RegistryError} `duplicate-source`, `closed`.
   */
  attach(source: ToolSource): Attachment;
  /**
   * Adds a tool of the host app, under its own name, until the returned object is disposed. With a schema library's
   * object as `inputSchema` the handler gets what that makes of the arguments, and their type follows from it.
   *
   * @throws {RegistryError} `duplicate-tool`, `closed`.
   * @throws {TypeError} naming the field of the definition that is wrong.
   */
  register<Schema extends ArgumentSchema = JsonSchema>(
    tool: NativeToolDefinition<Schema>,
    handler: NativeToolHandler<ArgumentsOf<Schema>>,
  ): Disposable;
  /**
   * The tools as one role sees them, or all of them. Views of one role are one object; those of a principal or a group
   * of servers are made for each who asks, and need not be closed.
   *
   * @throws {TypeError} naming an option that is there and says nothing, such as `role: undefined`.
   */
  view(options?: ViewOptions): RegistryView;
  /**
   * What decides in `view(options)`, for resources and prompts, which a registry does not hold itself. To be asked again
   * for each of them and each time.
   *
   * @throws {TypeError} as `view` does.
   */
  policy(options?: ViewOptions): RolePolicy;
  /**
   * Goes by other roles or another trust from now on, in every view and policy that was given before. Calls under way finish
   * under the rules that they were admitted by. `tools-changed` is told before this returns.
   *
   * @throws {TypeError} as `createRegistry` does. Nothing has changed then.
   * @throws {RegistryError} `closed`.
   */
  update(changes: RegistryChanges): void;
  /**
   * Why a role may use a tool or may not, as of now. For operators: it tells what a view of the role must not tell.
   *
   * @param tool - Public name, `server.tool`, `server/tool`, or the tool's own name where one server alone has it.
   */
  explain(role: string, tool: string): RoleExplanation;
  /** Approvals of tools. For operators: it shows what is held back from everyone else. */
  readonly pins: RegistryPins;
  /**
   * What operators should know, as of now: what sources offer and the registry had to refuse, which of them could not
   * be listed, which entries of roles match nothing, what waits for an approval, and what in the texts of tools looks like
   * an attempt to mislead.
   */
  diagnostics(): Promise<readonly RegistryDiagnostic[]>;
  /**
   * Lets go of all sources, which go on by themselves. Calls under way fail with `closed`, iterations end, later
   * searches and calls fail; `list()` and `get()` keep answering what was there. May be called twice.
   */
  close(): Promise<void>;
}

/**
 * Makes a registry: the live set of the tools of all sources that are attached and of your own, with search, roles and calls.
 *
 * @throws {TypeError} naming the option that is wrong; in `roles`: no rule, an unknown or circular `inherits`, two defaults.
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
    // It is only called with what its own schema has read.
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
    // What listeners see while one of them takes effect must not be more than all allow.
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
