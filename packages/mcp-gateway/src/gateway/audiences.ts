import { roleOf, type ViewOptions } from '@x/internal/views';
import type { Registry, RolePolicy } from '../registry.js';
import { createSurface, type SurfacePolicy } from '../serving/surface.js';
import type { RegistryView } from '../views/view.js';
import type { GatewayNames } from './naming/gateway-names.js';
import { type AudienceNames, namesFor } from './naming/name-owners.js';
import { AsIsTools } from './tools/as-is-tools.js';
import { PrefixedTools } from './tools/prefixed-tools.js';

/** The part of the gateway that one view of the registry allows. */
export interface Audience {
  /** The served view, with the gateway's names. */
  readonly view: RegistryView;
  /** The registry's view, with public names of tools. */
  readonly tools: RegistryView;
  readonly policy: RolePolicy;
  /** With `as-is` names: the owners of the names in this view. */
  readonly names: AudienceNames;
  /** True if the rules allow anything of a server: a tool, a resource or a prompt. */
  uses(server: string): boolean;
  /** The role in effect, which may be the default role; `undefined` without one. */
  readonly role: string | undefined;
  /** The principal, if known. */
  readonly principal: string | undefined;
  /** The same text for all audiences with the same rights under the same principal. */
  readonly scope: string;
}

/** Finds the audience of a served view. Keeps no reference to audiences of ended connections. */
export class Audiences {
  readonly #registry: Registry;
  readonly #names: GatewayNames;
  readonly #surface: SurfacePolicy;
  readonly #byTools = new WeakMap<RegistryView, Audience>();
  readonly #byView = new WeakMap<RegistryView, Audience>();

  constructor(registry: Registry, names: GatewayNames, surface: SurfacePolicy) {
    this.#registry = registry;
    this.#names = names;
    this.#surface = surface;
  }

  /** The same for the same view: roles are compiled once. */
  of(options: ViewOptions): Audience {
    const tools = this.#registry.view(options);
    const known = this.#byTools.get(tools);
    if (known !== undefined) return known;
    const names = namesFor(this.#registry, options);
    const named = this.#names.mode === 'as-is' ? new AsIsTools(tools, names.tools) : new PrefixedTools(tools);
    const { principal, servers } = options;
    // The default role may change.
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

  /** @param view - Of an existing audience. */
  ofView(view: RegistryView): Audience {
    const audience = this.#byView.get(view);
    if (audience === undefined) throw new TypeError('The view is none that this gateway serves');
    return audience;
  }
}

/**
 * True if an audience may read everything about a server: its log, and that it does not respond. That holds if it may
 * read any of its resources, which includes all that may use the whole server.
 */
export function mayHear(policy: RolePolicy, server: string): boolean {
  return policy({ kind: 'resource', server, uri: '' }).isAllowed;
}
