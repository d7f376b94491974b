import { roleOf, type ViewOptions } from '@x/internal/views';
import type { Registry, RolePolicy } from '../registry.js';
import { createSurface, type SurfacePolicy } from '../serving/surface.js';
import type { RegistryView } from '../views/view.js';
import type { GatewayNames } from './naming/gateway-names.js';
import { type AudienceNames, namesFor } from './naming/name-owners.js';
import { AsIsTools } from './tools/as-is-tools.js';
import { PrefixedTools } from './tools/prefixed-tools.js';

/** What those see who have one view of the registry. */
export interface Audience {
  /** As it is served: under the gateway's names. */
  readonly view: RegistryView;
  /** The registry's own, where tools have their public names. */
  readonly tools: RegistryView;
  readonly policy: RolePolicy;
  /** Whose the names are that they see, where names are as they are. */
  readonly names: AudienceNames;
  /** Whether they may use anything of a server, by the rules: a tool, a resource or a prompt. */
  uses(server: string): boolean;
  /** The one that holds, be it the default role; `undefined` for those who have none. */
  readonly role: string | undefined;
  /** Who asks, where that is known. */
  readonly principal: string | undefined;
  /** The same text for whoever may use the same in the same name. */
  readonly scope: string;
}

/** Finds the audience of a view that is being served. Holds on to nobody who has gone. */
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
    // The default role may become another one.
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

  /** @param view - Of an audience that was given. */
  ofView(view: RegistryView): Audience {
    const audience = this.#byView.get(view);
    if (audience === undefined) throw new TypeError('The view is none that this gateway serves');
    return audience;
  }
}

/**
 * Whether somebody may read all that a server tells of itself: its log, and that it does not answer. Those may who may
 * read any of its resources, as whoever may use the whole server may.
 */
export function mayHear(policy: RolePolicy, server: string): boolean {
  return policy({ kind: 'resource', server, uri: '' }).isAllowed;
}
