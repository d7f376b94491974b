import { type Attachment, Catalog } from './catalog/catalog.js';
import type { RegistryDiagnostic } from './catalog/diagnostics.js';
import { checkNativeTool, type NativeToolDefinition, type NativeToolHandler } from './catalog/native-tool.js';
import { checkRoleRules, compileRole, type RoleRules } from './roles/compile-role.js';
import { SEARCH_TOOL } from './search/search-tool.js';
import type { ToolSource } from './source.js';
import { createView, type RegistryView } from './view.js';

export interface RegistryOptions {
  /** What each role may use. Default: no roles, so that only views without a role show anything. */
  readonly roles?: RoleRules | undefined;
}

export interface ViewOptions {
  /** A role of `RegistryOptions.roles`; any other one sees nothing. Left out, the view shows everything. */
  readonly role?: string;
}

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
   * Adds a tool of the host app, under its own name, until the returned object is disposed.
   *
   * @throws {RegistryError} `duplicate-tool`, `closed`.
   * @throws {TypeError} naming the field of the definition that is wrong.
   */
  register(tool: NativeToolDefinition, handler: NativeToolHandler): Disposable;
  /** The tools as one role sees them, or all of them. Views of one role are one object. */
  view(options?: ViewOptions): RegistryView;
  /** What sources offer and the registry had to refuse, and which of them could not be listed, as of now. */
  diagnostics(): readonly RegistryDiagnostic[];
  /**
   * Lets go of all sources, which go on by themselves. Calls under way fail with `closed`, iterations end, later
   * searches and calls fail; `list()` and `get()` keep answering what was there. May be called twice.
   */
  close(): Promise<void>;
}

/** @throws {TypeError} if `roles` is not a list of rules. */
export function createRegistry({ roles = [] }: RegistryOptions = {}): Registry {
  return new LiveRegistry(checkRoleRules(roles));
}

class LiveRegistry implements Registry {
  readonly #catalog = new Catalog();
  readonly #roles: RoleRules;
  readonly #all: RegistryView;
  /** One for each known role, and one for all unknown ones: names from outside must not add up. */
  readonly #views = new Map<string | undefined, RegistryView>();

  constructor(roles: RoleRules) {
    this.#roles = roles;
    this.#catalog.register(SEARCH_TOOL);
    this.#all = createView(this.#catalog);
  }

  get revision(): number {
    return this.#all.revision;
  }

  get events(): RegistryView['events'] {
    return this.#all.events;
  }

  list(): ReturnType<RegistryView['list']> {
    return this.#all.list();
  }

  get(...args: Parameters<RegistryView['get']>): ReturnType<RegistryView['get']> {
    return this.#all.get(...args);
  }

  search(...args: Parameters<RegistryView['search']>): ReturnType<RegistryView['search']> {
    return this.#all.search(...args);
  }

  call(...args: Parameters<RegistryView['call']>): ReturnType<RegistryView['call']> {
    return this.#all.call(...args);
  }

  changes(...args: Parameters<RegistryView['changes']>): ReturnType<RegistryView['changes']> {
    return this.#all.changes(...args);
  }

  attach(source: ToolSource): Attachment {
    return this.#catalog.attach(source);
  }

  register(tool: NativeToolDefinition, handler: NativeToolHandler): Disposable {
    if (typeof handler !== 'function') throw new TypeError(`handler of the tool ${tool?.name} must be a function`);
    return this.#catalog.register({ definition: checkNativeTool(tool), target: { kind: 'native', handler } });
  }

  view(options: ViewOptions = {}): RegistryView {
    if (!('role' in options)) return this.#all;
    const { role } = options;
    // A role that got lost on the way must not open everything.
    if (typeof role !== 'string')
      throw new TypeError(`role must be a text, got ${role}; leave it out to see all tools`);
    const known = this.#roles.some((rule) => rule.role === role) ? role : undefined;
    const view = this.#views.get(known) ?? createView(this.#catalog, compileRole(this.#roles, role));
    this.#views.set(known, view);
    return view;
  }

  diagnostics(): readonly RegistryDiagnostic[] {
    return this.#catalog.diagnostics();
  }

  async close(): Promise<void> {
    this.#catalog.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
