import type { OptionRows, Resolved } from '@x/internal/options';
import { PEEK, peekTools, type ToolView } from '@x/internal/views';
import { CallByName, ConstantSurface } from '../views/constant-surface.js';
import type { RegistryView } from '../views/view.js';

/**
 * The listed tools of a view. `full`: every tool. `search`: only `search_mcp_tools` and `call_mcp_tool`, which never
 * change and through which every tool can be found and called. `auto`: `full` as long as the view has no more than
 * `maxListedTools`, otherwise `search`.
 */
export type Surface = 'full' | 'search' | 'auto';

/** Options of the surface. */
export interface SurfaceOptions {
  /** Default `full`. */
  readonly surface?: Surface | undefined;
  /** With `auto`: maximum number of individually listed tools. Default 50. */
  readonly maxListedTools?: number | undefined;
}

export const surfaceRows = {
  surface: { kind: 'word', words: ['full', 'search', 'auto'], default: 'full' },
  maxListedTools: { kind: 'number', of: 'tools', min: 0, default: 50 },
} as const satisfies OptionRows<SurfaceOptions>;

export type SurfacePolicy = Resolved<SurfaceOptions, typeof surfaceRows>;

export function createSurface(view: RegistryView, { surface, maxListedTools }: SurfacePolicy): RegistryView {
  if (surface === 'full') return view;
  return surface === 'search' ? new ConstantSurface(view) : new AutoSurface(view, maxListedTools);
}

/**
 * One of both listings, by the number of tools. Calls always accept both forms: a client may still have the other
 * listing.
 */
class AutoSurface extends CallByName {
  readonly #constant: RegistryView;
  readonly #maxListedTools: number;

  constructor(view: RegistryView, maxListedTools: number) {
    super(view);
    this.#constant = new ConstantSurface(view);
    this.#maxListedTools = maxListedTools;
  }

  override list(): readonly ToolView[] {
    return this.#shown.list();
  }

  override [PEEK](): readonly ToolView[] {
    return peekTools(this.#shown);
  }

  get #shown(): RegistryView {
    return peekTools(this.inner).length > this.#maxListedTools ? this.#constant : this.inner;
  }
}
