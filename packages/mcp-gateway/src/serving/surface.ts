import type { OptionRows, Resolved } from '@x/internal/options';
import { PEEK, peekTools, type ToolView } from '@x/internal/views';
import { CallByName, ConstantSurface } from '../views/constant-surface.js';
import type { RegistryView } from '../views/view.js';

/**
 * What clients are shown of a view. `full`: every tool. `search`: `search_mcp_tools` and `call_mcp_tool` alone, which
 * never change and through which every tool can be found and called. `auto`: `full` for as long as the view has no more
 * than `maxListedTools`, and else `search`.
 */
export type Surface = 'full' | 'search' | 'auto';

/** Which tools clients are shown of a view. */
export interface SurfaceOptions {
  /** Default `full`. */
  readonly surface?: Surface | undefined;
  /** With `auto`: the most tools that are listed one by one. Default 50. */
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

/** Either listing, by the number of tools. Calls take both forms at all times: a client may still have the other listing. */
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
