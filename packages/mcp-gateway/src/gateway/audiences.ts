import { SEARCH_TOOL_NAME } from '@x/internal/names';
import { peekTools, roleOf, type ViewOptions } from '@x/internal/views';
import type { Registry, RegistryView, RolePolicy } from '../registry.js';
import type { Caller } from '../server/requests/caller.js';
import { createSurface, type SurfacePolicy } from '../serving/surface.js';
import type { GatewayNames } from './naming/gateway-names.js';
import { type AudienceNames, namesFor } from './naming/name-owners.js';
import { AsIsTools, PrefixedTools, type ReportUnlisted } from './tools/named-tools.js';
import { NestedTools } from './tools/nested-tools.js';

/** Permissions of one view of the registry. */
export interface Audience {
  /** Tools under the gateway's names. */
  readonly view: RegistryView;
  /** Tools under their public names. */
  readonly tools: RegistryView;
  readonly policy: RolePolicy;
  /** Owners of the names in this view, for `as-is` names. */
  readonly names: AudienceNames;
  /** True if the rules allow any tool, resource or prompt of a server. */
  uses(server: string): boolean;
  /** May be the default role. */
  readonly role: string | undefined;
  readonly principal: string | undefined;
  /** Equal for audiences with the same rights and principal. */
  readonly scope: string;
}

/** True if all changes of a server's tools are visible to the audience. */
export function mayUseAllTools({ policy }: Pick<Audience, 'policy'>, server: string): boolean {
  return policy({ server, tool: '' }).isAllowed;
}

/** False if `tools/list` shows no tool of the server, as with the surface `search`. */
export function showsAllTools(audience: Audience, server: string): boolean {
  return mayUseAllTools(audience, server) && peekTools(audience.view).some((tool) => tool.server === server);
}

interface AudiencesParts {
  readonly registry: Registry;
  readonly names: GatewayNames;
  readonly surface: SurfacePolicy;
}

/** Audiences by view. Keeps none of an ended connection. */
export class Audiences {
  readonly #registry: Registry;
  readonly #names: GatewayNames;
  readonly #surface: SurfacePolicy;
  readonly #reportUnlisted: ReportUnlisted;
  readonly #byTools = new WeakMap<RegistryView, Audience>();
  readonly #byView = new WeakMap<RegistryView, Audience>();

  constructor({ registry, names, surface }: AudiencesParts, reportUnlisted: ReportUnlisted) {
    this.#registry = registry;
    this.#names = names;
    this.#surface = surface;
    this.#reportUnlisted = reportUnlisted;
  }

  #named(tools: RegistryView, names: AudienceNames): RegistryView {
    if (this.#names.mode === 'as-is') return new AsIsTools(tools, names.tools);
    const prefixed = new PrefixedTools(tools, this.#reportUnlisted);
    return this.#names.isNested ? new NestedTools(prefixed) : prefixed;
  }

  /** Returns the same audience for the same view, so that roles are compiled once. */
  of(options: ViewOptions): Audience {
    const tools = this.#registry.view(options);
    const known = this.#byTools.get(tools);
    if (known !== undefined) return known;
    const names = namesFor(this.#registry, options);
    const named = this.#named(tools, names);
    const { principal, servers } = options;
    // Read on each use: the default role may change.
    const role = () => roleOf(tools) ?? options.role;
    const policy = this.#registry.policy(options);
    const audience: Audience = {
      tools,
      view: createSurface(named, this.#surface),
      policy,
      names,
      uses: (server) => policy({ kind: 'any', server }).isAllowed,
      get role() {
        return role();
      },
      principal,
      get scope() {
        return JSON.stringify([role(), principal, servers]);
      },
    };
    this.#byTools.set(tools, audience);
    this.#byView.set(audience.view, audience);
    return audience;
  }

  ofView(view: RegistryView): Audience {
    const audience = this.#byView.get(view);
    if (audience === undefined) throw new TypeError('The view does not belong to this gateway');
    return audience;
  }
}

/** True if an audience may see a server's log and failures, as far as it may read any of the server's resources. */
export function maySeeLog(policy: RolePolicy, server: string): boolean {
  return policy({ kind: 'resource', server, uri: '' }).isAllowed;
}

/**
 * Returns what a caller may use: synchronously, for each request. `undefined`: nothing. Also called for known callers
 * when the handler is created.
 */
export type AudienceOf<Who extends Caller = Caller> = (caller: Who) => ViewOptions | undefined;

/** @throws {TypeError} for a promise, which has no role and would allow everything. */
export function audienceFor(caller: Caller, audienceOf: AudienceOf): ViewOptions | undefined {
  const audience = audienceOf(caller);
  if (!(audience instanceof Promise)) return audience;
  throw new TypeError(
    'audienceOf must return its result synchronously, got a promise; do asynchronous work in verifyToken',
  );
}

/**
 * Checks known callers, so that a misspelt role fails at start rather than by empty lists.
 *
 * @throws {TypeError} naming a caller whose role does not exist, and the existing roles.
 */
export function refuseUnserved(known: readonly Caller[], audienceOf: AudienceOf, registry: Registry): void {
  for (const caller of known) {
    const audience = audienceBeforehand(caller, audienceOf);
    if (audience !== undefined) refuseUnknownRole(caller, audience, registry);
  }
}

function audienceBeforehand(caller: Caller, audienceOf: AudienceOf): ViewOptions | undefined {
  let audience: ViewOptions | undefined;
  try {
    audience = audienceOf(caller);
  } catch {
    return undefined; // its inputs may exist only once requests arrive
  }
  return audienceFor(caller, () => audience);
}

function refuseUnknownRole({ id }: Caller, { servers: _, ...who }: ViewOptions, registry: Registry): void {
  // Every role with a tool may use the search.
  const decision = registry.policy(who)({ server: undefined, tool: SEARCH_TOOL_NAME });
  if (decision.isAllowed || decision.reason !== 'unknown-role') return;
  const caller = JSON.stringify(id);
  if (who.role === undefined) {
    throw new TypeError(
      `audienceOf returns no role for ${caller}, and no role of the registry is the default; return a role, or mark one with isDefault`,
    );
  }
  throw new TypeError(
    `audienceOf returns a role for ${caller} that does not exist: ${decision.message ?? JSON.stringify(who.role)}`,
  );
}
